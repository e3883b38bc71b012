package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var wrongSubcommand = &Rule{
	Name:     "wrong-subcommand",
	Severity: Warning,
	Title:    "Type and sub-command do not fit together",
	Meaning: "A BaseCommand has a type and exactly the one sub-command that belongs to it (PING and PONG may go without). A receiver that " +
		"looks at the type finds nothing, and one that looks for what is there takes another command than was meant.",
	Advice: "Fix how the sender makes commands: a BaseCommand that is used again and was not cleared is a usual cause.",
	Blind:  "Which of two sub-commands was meant.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{OddFrames},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.FrameSeen {
				return
			}
			for _, x := range wrongCommands {
				if slices.Contains(e.Frame.Issues, x.issue) {
					r.Report(Finding{Severity: Warning, Title: e.Frame.TypeName() + " " + x.title, Subject: about(e), Evidence: []Evidence{here(e)},
						Detail: fmt.Sprintf("The %s sent a BaseCommand of type %s %s.", offender(e.Conn, e.Direction), e.Frame.TypeName(), x.title)})
				}
			}
		}
	},
}

var wrongCommands = []struct{ issue, title string }{
	{"missing_subcommand", "without its sub-command"},
	{"extra_subcommand", "with the sub-command of another type"},
}
