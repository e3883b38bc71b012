// Package evidence keeps packets of a live capture, and writes them to pcapng
// files.
//
// In: the packets of a run, and findings that name some of them. Out: files.
// Packets are held for a short while, so that a finding may still become a comment
// on them. Then they are written, or with a ring forgotten: what a ring holds is
// written when it is asked for (Dump).
//
//	hold     packets in memory, within limits
//	files    one file after another, and which of them are kept
//	keeper   what goes where, and when
//
// To be changed here: what is kept of a live capture, for how long, and where.
package evidence
