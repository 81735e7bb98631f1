CREATE TABLE bids (auction BIGINT, price BIGINT, bt TIMESTAMP_LTZ(3), WATERMARK FOR bt AS bt) WITH ('connector'='datagen');
CREATE TABLE w (ws TIMESTAMP(3), we TIMESTAMP(3), auction BIGINT, p BIGINT) WITH ('connector'='blackhole');
SET 'parallelism.default' = '4';
INSERT INTO w SELECT window_start, window_end, auction, SUM(price) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(bt), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end, auction;
INSERT INTO w SELECT window_start, window_end, auction, SUM(price) FROM TABLE(HOP(TABLE bids, DESCRIPTOR(bt), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end, GROUPING SETS ((auction), ());
INSERT INTO w SELECT window_start, window_end, auction, MAX(price) FROM TABLE(CUMULATE(TABLE bids, DESCRIPTOR(bt), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end, auction;
INSERT INTO w SELECT window_start, window_end, auction, p FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY p DESC) rn FROM (SELECT window_start, window_end, auction, SUM(price) p FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(bt), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, auction)) WHERE rn <= 3;
