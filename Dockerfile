# An image with the program and nothing else. make release comes first:
#
#   make release && docker build -t pulsar-dissect .
#   docker run --rm -i pulsar-dissect - < capture.pcap
#   docker run --rm -v "$PWD:/captures:ro" -w /captures pulsar-dissect diagnose capture.pcap
FROM scratch
ARG TARGETARCH=amd64
COPY dist/linux_${TARGETARCH}/pulsar-dissect /pulsar-dissect
USER 65534:65534
ENTRYPOINT ["/pulsar-dissect"]
