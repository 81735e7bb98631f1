// Kubernetes' own API server and scheduler as one program: the name it is called by says which one it is.
package main

import (
	"os"
	"path/filepath"

	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if filepath.Base(os.Args[0]) == "kube-scheduler" {
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	}
	os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
}
