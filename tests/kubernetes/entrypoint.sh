#!/bin/sh
# What the entrypoint of a Spark image does for an executor: the pod's environment says everything.
set -eu
if [ "${1:-}" != executor ]; then exec "$@"; fi
options=""
number=0
while eval "option=\${SPARK_JAVA_OPT_$number:-}" && [ -n "$option" ]; do
  options="$options
$option"
  number=$((number + 1))
done
IFS='
'
# shellcheck disable=SC2086 # one option per line
exec "$JAVA_HOME/bin/java" $options -Xms"$SPARK_EXECUTOR_MEMORY" -Xmx"$SPARK_EXECUTOR_MEMORY" \
  -cp "${SPARK_CONF_DIR:-/nowhere}:$SPARK_HOME/jars/*" \
  org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
  --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES" \
  --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" \
  --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" --podName "$SPARK_EXECUTOR_POD_NAME"
