package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// fetch has Maven copy the broker's jars into a folder, unless they are there.
func fetch(pom, dir string) (jars string, err error) {
	jars = filepath.Join(dir, "jars")
	complete := filepath.Join(dir, "jars-complete")
	if _, err := os.Stat(complete); err == nil {
		return jars, nil
	}
	fmt.Println("fetching the broker's jars, which takes a minute or so")
	settings, err := oneRepository(pom, dir)
	if err != nil {
		return "", err
	}
	const tries = 3 // what was fetched stays; a registry may be busy
	for range tries {
		out, failed := exec.Command("mvn", "-q", "-B", "-f", pom, "-s", settings, "dependency:copy-dependencies", "-DoutputDirectory="+jars).CombinedOutput()
		if failed == nil {
			return jars, os.WriteFile(complete, nil, 0o644)
		}
		err = fmt.Errorf("maven: %w\n%s", failed, out)
	}
	return "", err
}

// oneRepository writes settings by which Maven asks its usual repository alone: some
// of the jars name others, which may be gone.
func oneRepository(pom, dir string) (path string, err error) {
	out, err := exec.Command("mvn", "-q", "-B", "-f", pom, "help:evaluate", "-Dexpression=project.repositories[0].url", "-DforceStdout").Output()
	if err != nil {
		return "", fmt.Errorf("maven does not tell its repository: %w", err)
	}
	address := regexp.MustCompile(`https?://[^\s\x1b]+`).Find(out)
	path = filepath.Join(dir, "settings.xml")
	text := fmt.Sprintf("<settings><mirrors><mirror><id>usual</id><mirrorOf>external:*</mirrorOf><url>%s</url></mirror></mirrors></settings>\n", address)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// broker is a standalone broker.
type broker struct {
	run       *exec.Cmd
	port, web int
}

func (b *broker) address() string { return fmt.Sprintf("pulsar://127.0.0.1:%d", b.port) }

// admin is the address of a path of the broker's administration.
func (b *broker) admin(path string) string {
	return fmt.Sprintf("http://127.0.0.1:%d/admin/v2/%s", b.web, path)
}

// settings of the broker; without one bookie for all it would wait for others.
const settings = `clusterName=lab
bindAddress=127.0.0.1
advertisedAddress=127.0.0.1
brokerServicePort=%d
webServicePort=%d
managedLedgerDefaultEnsembleSize=1
managedLedgerDefaultWriteQuorum=1
managedLedgerDefaultAckQuorum=1
transactionCoordinatorEnabled=true
systemTopicEnabled=true
acknowledgmentAtBatchIndexLevelEnabled=true
loadBalancerEnabled=false
maxMessageSize=1048576
`

// opened are the packages of Java that the broker and its store reach into.
var opened = []string{
	"java.base/java.nio", "java.base/java.io", "java.base/java.lang", "java.base/java.util", "java.base/java.util.zip", "java.base/sun.net",
	"java.base/jdk.internal.misc", "java.base/jdk.internal.platform", "java.management/sun.management", "jdk.management/com.sun.management.internal",
}

// startBroker starts one with nothing stored, and waits until it answers.
func startBroker(jars, dir string) (*broker, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	b := &broker{port: ports[0], web: ports[1]}
	if err := os.WriteFile(filepath.Join(dir, "standalone.conf"), fmt.Appendf(nil, settings, b.port, b.web), 0o644); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "broker.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{"-Xmx1g", "-XX:MaxDirectMemorySize=1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dio.netty.tryReflectionSetAccessible=true", "-cp", filepath.Join(jars, "*")}
	for _, p := range opened {
		args = append(args, "--add-opens", p+"=ALL-UNNAMED")
	}
	args = append(args, "org.apache.pulsar.PulsarStandaloneStarter", "--config", "standalone.conf", "-nfw", "-nss", "--num-bookies", "1", "--metadata-dir", "metadata", "--bookkeeper-dir", "bookies")
	b.run = exec.Command("java", args...)
	b.run.Dir, b.run.Stdout, b.run.Stderr = dir, log, log
	if err := b.run.Start(); err != nil {
		return nil, err
	}
	if err := b.await(); err != nil {
		b.stop()
		return nil, fmt.Errorf("%w; see %s", err, log.Name())
	}
	return b, nil
}

// await waits until the broker serves its default namespace.
func (b *broker) await() error {
	const patience = 2 * time.Minute
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		if r, err := http.Get(b.admin("namespaces/public/default")); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return fmt.Errorf("the broker does not answer after %s", patience)
}

func (b *broker) stop() {
	_ = b.run.Process.Signal(syscall.SIGTERM) // it may have ended
	late := time.AfterFunc(soon, func() { _ = b.run.Process.Kill() })
	defer late.Stop()
	_ = b.run.Wait()
}

// freePorts are ports that nothing listens at.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() //nolint:errcheck // nothing was said on it
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
