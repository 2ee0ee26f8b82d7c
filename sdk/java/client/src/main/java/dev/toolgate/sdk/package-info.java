/** The client of a toolgate gateway. */
package dev.toolgate.sdk;
