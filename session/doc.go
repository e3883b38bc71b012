// Package session ties the frames of all connections together: requests with
// their responses, SENDs with their receipts, deliveries with their
// acknowledgements, permits, topics and names behind producer and consumer
// ids, chunks of large messages, schemas behind topics and versions; across
// connections, entries at bookies with their SEND and MESSAGE, the two legs of
// what a proxy passes on, and transactions from their opening to their end.
//
// In: the events of decode. Out: an iterator of Event; everything that a user
// sees is a face of these.
//
// Events and what they point to are borrowed: valid until the next pull.
//
// The package knows nothing of output formats. A new request and response pair
// needs no change here: pairs follow from the catalogue (package proto). What
// is held is bounded by Limits, oldest let go first, and counted.
package session
