package render

import (
	"strings"

	"pulsar-dissect/diagnose"
)

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

// appendCommand appends the lines of a command to type. One that is wider than
// the terminal goes on in the next line, as a shell reads it: cut it would be of
// no use.
func (o *Options) appendCommand(text []byte, l *line, first, arguments string) []byte {
	width := l.width
	l.width = 0
	l.begin()
	l.puts(faint, first)
	for i, word := range shellWords(o.command(arguments)) {
		if i > 0 && width > 0 && l.at+1+displayWidth([]byte(word))+len(goesOn) > width {
			l.puts(faint, goesOn)
			text = append(text, l.end()...)
			l.begin()
			l.puts(faint, strings.Repeat(" ", len(first)-len(strings.TrimLeft(first, " ")))+indent+word)
			continue
		}
		if i > 0 {
			word = " " + word
		}
		l.puts(faint, word)
	}
	l.width = width
	return append(text, l.end()...)
}

const goesOn = " \\"

// shellWords splits a command at spaces outside quotes.
func shellWords(command string) (words []string) {
	quoted, start := false, 0
	for i, c := range []byte(command) {
		switch {
		case c == '\'':
			quoted = !quoted
		case c == ' ' && !quoted:
			words, start = append(words, command[start:i]), i+1
		}
	}
	return append(words, command[start:])
}

// cutOut are the arguments of the command that cuts out a capture which shows a
// finding.
func cutOut(f *diagnose.Finding) string {
	arguments, file := "slice --finding "+f.Rule.Name+" --whole", f.Rule.Name
	conn := f.Subject.ConnID
	if conn < 0 && len(f.Evidence) > 0 {
		conn = f.Evidence[0].ConnID
	}
	if conn >= 0 {
		label := string(appendLabel(nil, conn))
		arguments, file = arguments+" --conn "+label, file+"-"+label
	}
	return arguments + " -w " + file + ".pcapng"
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
