// Command release makes what is given out of a version.
//
// In: the source in the current folder, the version, a time for all files, and
// the programs go and nfpm. Out, in a folder: for each target a static binary, an
// archive of it with its documentation and shell completions, and a list of what
// is linked into it (CycloneDX); packages for Linux; and SHA256SUMS of all.
//
// The same source and Go give the same bytes: nothing in them depends on the
// time, the machine, the user or the folder.
//
//	go run ./release -version 0.1.0 -time 1700000000 -nfpm bin/nfpm -dir dist
//
// A new target is a row in targets.go; what goes into packages is in nfpm.yaml.
package main
