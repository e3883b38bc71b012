// Package report writes a run as one HTML page that needs nothing else: no
// network, no server, no other file.
//
// In: the events of session, verdicts and findings, as any render.Sink gets
// them. Out: the page. What it shows are the records of the JSON output, as
// render.Records writes them, in blocks of data: connections, verdicts, findings and
// the summary; the series of charts (time.go), which count every event, also those
// left out; and last the events in the order of release, up to Limits.Events, which
// the page shows nothing of before they are read.
//
// The page is hostile ground: names, payloads and errors come from the wire. They
// reach it as JSON in which no "<" stands (block.go), so that nothing in it can end
// the block; the script makes text nodes of it and never markup; and the page's
// content security policy (page.go) allows this one script and this one style
// sheet by their hashes, no other, and no request to anywhere.
//
// To be changed here: page/*.js and page/*.css, which are written by hand, need no
// build step, and are joined in the order of their names. A chart of
// something new needs a recorder of its series beside latency.go. The tests drive the
// page in a browser, where there is one; with REPORT_SCREENSHOTS=FOLDER in their
// environment they leave pictures of it.
package report
