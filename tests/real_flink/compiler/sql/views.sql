-- a script with views; semicolon ; in a comment
/* block; comment */
SET 'pipeline.name' = 'it''s; a "job"';
SET parallelism.default = 3;
CREATE TABLE orders (`order;id` BIGINT, item STRING, price DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'datagen', 'rows-per-second' = '10');
CREATE TEMPORARY VIEW expensive AS SELECT *, 'a;b -- no comment' AS txt FROM orders WHERE price > 10;
CREATE VIEW per_item (item, n) COMMENT 'x;y' AS SELECT item, COUNT(*) FROM expensive GROUP BY item;
CREATE TABLE out_t (item STRING, n BIGINT) WITH ('connector'='print');
SHOW TABLES;
DESCRIBE orders;
EXPLAIN INSERT INTO out_t SELECT * FROM per_item;
EXPLAIN PLAN FOR SELECT * FROM per_item;
SHOW CREATE TABLE orders;
INSERT INTO out_t SELECT * FROM per_item;
