// Package extract writes the payloads of messages to files, one each.
//
// In: events of messages, and the receipts that give SENDs their ids. Out: files
// in one folder, and never outside it, whatever names the wire has; at most so
// many, of so many bytes in all.
//
// To be changed here: how files are named.
package extract
