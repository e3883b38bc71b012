package diagnose

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
)

// token is a JWT that expires so long after the start of a scene.
func token(after time.Duration) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"sub":"lab","exp":%d}`, (wiremake.Start+int64(after))/1e9)) + ".sig"
}

func TestAuthRefreshUnsupported(t *testing.T) {
	for _, c := range []struct {
		name     string
		supports bool
		credit   string
		closed   time.Duration
		by       int
		want     string
	}{
		{"closed at expiry", false, token(time.Minute), 70 * time.Second, wiremake.Server, "warning 10.0.0.1-10.0.0.2:6650 | expired at 22:14:20.000"},
		{"closed long before", false, token(time.Minute), 30 * time.Second, wiremake.Server, ""},
		{"closed long after", false, token(time.Minute), 200 * time.Second, wiremake.Server, ""},
		{"closed by the client", false, token(time.Minute), 70 * time.Second, wiremake.Client, ""},
		{"client can renew", true, token(time.Minute), 70 * time.Second, wiremake.Server, ""},
		{"no token", false, "user:password", 70 * time.Second, wiremake.Server, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			k := s.tcp(4000)
			connect := connectWith("token", c.credit)
			connect.Connect.FeatureFlags.SupportsAuthRefresh = proto.Bool(c.supports)
			k.client(connect)
			k.broker(connectedCommand(21))
			s.wait(c.closed)
			k.FIN(c.by)
			if c.want == "" {
				s.finds(authRefreshUnsupported)
				return
			}
			s.finds(authRefreshUnsupported, c.want)
		})
	}
}
