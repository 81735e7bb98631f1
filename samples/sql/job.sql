-- Orders per city and minute, and the large ones beside: two sinks in one job.
--
--   plan explain samples/sql/job.sql
--   plan show samples/sql/job.sql --stage job
--   plan save samples/sql/job.sql -o graph.json

SET 'pipeline.name' = 'orders per city';
SET 'parallelism.default' = '4';

CREATE TABLE orders (
    id BIGINT,
    city STRING,
    price DECIMAL(10, 2),
    placed TIMESTAMP(3),
    WATERMARK FOR placed AS placed - INTERVAL '5' SECOND
) WITH ('connector' = 'datagen', 'rows-per-second' = '100');

CREATE TABLE per_city (city STRING, window_end TIMESTAMP(3), orders BIGINT, total DECIMAL(38, 2))
WITH ('connector' = 'print');

CREATE TABLE large_orders (id BIGINT, price DECIMAL(10, 2)) WITH ('connector' = 'blackhole');

EXECUTE STATEMENT SET
BEGIN
    INSERT INTO per_city
    SELECT city, window_end, COUNT(*), SUM(price)
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(placed), INTERVAL '1' MINUTE))
    GROUP BY city, window_start, window_end;

    INSERT INTO large_orders SELECT id, price FROM orders WHERE price > 1000;
END;
