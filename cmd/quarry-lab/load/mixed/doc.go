// Package mixed asks a server many kinds of things at a steady rate while files change as a
// model of the tree says, and holds every answer to that model. It also plants files that
// parsers do not survive.
package mixed
