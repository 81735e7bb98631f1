SET 'execution.runtime-mode' = 'streaming';
CREATE TABLE lines (line STRING, `file.path` STRING NOT NULL METADATA) WITH ('connector'='filesystem', 'path'='file:///tmp/none/in', 'format'='raw', 'source.monitor-interval'='5s');
CREATE TABLE outs (line STRING, dt STRING, hr STRING) PARTITIONED BY (dt, hr) WITH ('connector'='filesystem', 'path'='file:///tmp/none/out', 'format'='json', 'sink.partition-commit.policy.kind'='success-file', 'auto-compaction'='true');
INSERT INTO outs SELECT line, DATE_FORMAT(CURRENT_TIMESTAMP, 'yyyy-MM-dd'), '00' FROM lines;
