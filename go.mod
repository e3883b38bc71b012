module pulsar-dissect

go 1.26
