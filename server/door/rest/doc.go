// Package rest is the door for plain HTTP: the service of the contract as JSON.
package rest
