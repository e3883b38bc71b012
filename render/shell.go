package render

import "strings"

// program is the name under which the commands that the faces advise start.
const program = "pulsar-dissect"

// command is a command to type, on the same files.
func (o *Options) command(arguments string) string {
	words := []string{program, arguments}
	if len(o.Files) > shownFiles {
		return strings.Join(append(words, "FILE..."), " ")
	}
	for _, name := range o.Files {
		words = append(words, shellWord(name))
	}
	return strings.Join(words, " ")
}

// shownFiles is how many file names an advised command repeats.
const shownFiles = 2

// shellWord quotes a word for a POSIX shell. What a terminal could obey becomes
// an escape, and the word another: better not found than obeyed.
func shellWord(s string) string {
	s = string(appendVisible(nil, s))
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
