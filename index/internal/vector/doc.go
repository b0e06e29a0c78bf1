// Package vector holds unit vectors by id and finds the nearest ones.
package vector
