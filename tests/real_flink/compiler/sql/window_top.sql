CREATE TABLE bids (item STRING, price INT, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ('connector'='datagen');
CREATE TABLE asks (item STRING, price INT, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ('connector'='datagen');
CREATE TABLE s (item STRING, price INT, n BIGINT) WITH ('connector'='blackhole');
SET parallelism.default = 4;
INSERT INTO s
SELECT L.item, L.price, 1 FROM (SELECT * FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(t), INTERVAL '5' MINUTES))) L
JOIN (SELECT * FROM TABLE(TUMBLE(TABLE asks, DESCRIPTOR(t), INTERVAL '5' MINUTES))) R
ON L.item = R.item AND L.window_start = R.window_start AND L.window_end = R.window_end;
INSERT INTO s
SELECT item, price, rn FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS rn
  FROM TABLE(HOP(TABLE bids, DESCRIPTOR(t), INTERVAL '1' MINUTE, INTERVAL '5' MINUTES))
) WHERE rn <= 3;
INSERT INTO s
SELECT item, price, 1 FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY t DESC) AS rn
  FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(t), INTERVAL '1' MINUTE))
) WHERE rn = 1;
INSERT INTO s
SELECT item, SUM(price), COUNT(*) FROM TABLE(SESSION(TABLE bids PARTITION BY item, DESCRIPTOR(t), INTERVAL '5' MINUTES)) GROUP BY item, window_start, window_end;
