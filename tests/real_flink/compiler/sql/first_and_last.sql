CREATE TABLE o (order_id STRING, usr STRING, product STRING, num BIGINT, pt AS PROCTIME(), rt TIMESTAMP(3), WATERMARK FOR rt AS rt) WITH ('connector'='datagen');
CREATE TABLE s (order_id STRING, usr STRING, num BIGINT, PRIMARY KEY (order_id) NOT ENFORCED) WITH ('connector'='blackhole');
INSERT INTO s SELECT order_id, usr, num FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY pt ASC) AS rn FROM o) WHERE rn = 1;
INSERT INTO s SELECT order_id, usr, num FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY rt DESC) AS rn FROM o) WHERE rn = 1;
CREATE TABLE top (usr STRING, num BIGINT, rn BIGINT, PRIMARY KEY (usr, rn) NOT ENFORCED) WITH ('connector'='blackhole');
INSERT INTO top SELECT usr, num, rn FROM (SELECT usr, num, ROW_NUMBER() OVER (PARTITION BY usr ORDER BY num DESC) rn FROM o) WHERE rn <= 10;
INSERT INTO top SELECT usr, num, rn FROM (SELECT usr, SUM(num) num, ROW_NUMBER() OVER (PARTITION BY usr ORDER BY SUM(num) DESC) rn FROM o GROUP BY usr, product) WHERE rn <= 10;
