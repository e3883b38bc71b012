// Package follow reads capture files that another program is still writing.
//
// In: a path, or a pattern that names the files of one capture, as tcpdump -C, -G
// and -W and others make them. Out: an iterator of capture.Packet over all of them,
// in the order in which they were written. At the end of the last one it waits for
// more, until the context ends.
//
// A file is done with when another one is there to be read: a new one, the same
// name with another file behind it, or the same file written anew. The package
// looks at files a few times a second; notification by the system would not see
// changes on file systems of other machines.
//
// To be changed here: which file comes next.
package follow
