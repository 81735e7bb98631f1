SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '5000';
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
SET 'table.exec.state.ttl' = '1 d';
CREATE TABLE page_views (page STRING, usr BIGINT, dur INT) WITH ('connector' = 'datagen');
CREATE TABLE s (page STRING, uv BIGINT, pv BIGINT, longest INT, PRIMARY KEY (page) NOT ENFORCED) WITH ('connector' = 'blackhole');
INSERT INTO s SELECT page, COUNT(DISTINCT usr), COUNT(*), MAX(dur) FILTER (WHERE dur > 3) FROM page_views GROUP BY page;
