package tui

// screens are the pages that a number key shows.
var screens = []func() page{topicsPage, consumersPage, producersPage, connectionsPage, findingsPage, eventsPage}
