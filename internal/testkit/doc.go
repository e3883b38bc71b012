// Package testkit helps the tests of all packages to find their material: the
// module's own testdata, and the shared captures with the records that an
// independent decoder made of them.
//
// In: names. Out: paths and records. Tests skip, with the reason, where the
// shared material is not there; the module's own testdata always is.
package testkit
