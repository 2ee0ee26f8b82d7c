package diagnose

// waitUnit is how a wait is written.
type waitUnit uint8

const (
	unitAuto waitUnit = iota
	unitSeconds
	unitMillis
	unitMinutes
	unitEpoch
	unitEpochMillis
	unitInstant
	unitDuration
)

var waitUnits = map[string]waitUnit{
	"": unitAuto, "s": unitSeconds, "ms": unitMillis, "min": unitMinutes, "epoch_s": unitEpoch,
	"epoch_ms": unitEpochMillis, "instant": unitInstant, "duration": unitDuration,
}
