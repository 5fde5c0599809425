// The reconcile of the runtime bench on controller-runtime, set up as its documentation shows: a cache, a predicate on the
// generation, a merge patch of the status. Arguments: namespace, number of writes to report, workers.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

type reconciler struct {
	client.Client
	writes atomic.Int64
	wanted int64
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	text := widget.Spec.Text
	observed := fmt.Sprintf("%d:%s", len(text), text[:min(12, len(text))])
	if widget.Status.Observed == observed {
		return ctrl.Result{}, nil
	}
	before := widget.DeepCopyObject().(*Widget)
	widget.Status.Observed = observed
	if err := r.Status().Patch(ctx, &widget, client.MergeFrom(before)); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.writes.Add(1) == r.wanted {
		fmt.Println("done")
	}
	return ctrl.Result{}, nil
}

func run() error {
	if len(os.Args) != 4 {
		return fmt.Errorf("cannot start: give namespace, writes and workers")
	}
	wanted, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(os.Args[3])
	if err != nil {
		return err
	}
	ctrl.SetLogger(logr.Discard())
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1 // the client's own limit is not what is measured

	scheme := runtime.NewScheme()
	addToScheme(scheme)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{os.Args[1]: {}}},
		Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Widget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler{Client: manager.GetClient(), wanted: wanted})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	go func() { // when whoever started it is gone, however it went, this process goes too
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	go func() {
		if manager.GetCache().WaitForCacheSync(ctx) {
			fmt.Println("ready")
		}
	}()
	return manager.Start(ctx)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
