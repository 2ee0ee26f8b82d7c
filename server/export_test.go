package server

// Become has an access file count as another one does, as a reload would.
func Become(opened, other *Access) { opened.policy.Store(other.policy.Load()) }
