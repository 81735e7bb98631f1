-- Nexmark's queries over datagen, all in one script: a job per query.
CREATE TABLE events (
  event_type INT,
  person ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, `dateTime` TIMESTAMP(3), extra STRING>,
  auction ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING>,
  bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING>,
  `dateTime` AS CASE WHEN event_type = 0 THEN person.`dateTime` WHEN event_type = 1 THEN auction.`dateTime` ELSE bid.`dateTime` END,
  WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND
) WITH ('connector' = 'datagen');
CREATE VIEW person AS SELECT person.id, person.name, person.emailAddress, person.creditCard, person.city, person.state, `dateTime`, person.extra FROM events WHERE event_type = 0;
CREATE VIEW auction AS SELECT auction.id, auction.itemName, auction.description, auction.initialBid, auction.reserve, `dateTime`, auction.expires, auction.seller, auction.category, auction.extra FROM events WHERE event_type = 1;
CREATE VIEW bid AS SELECT bid.auction, bid.bidder, bid.price, bid.channel, bid.url, `dateTime`, bid.extra FROM events WHERE event_type = 2;
CREATE TABLE q0 (auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING) WITH ('connector' = 'blackhole');
INSERT INTO q0
SELECT auction, bidder, price, `dateTime`, extra FROM bid;
CREATE TABLE q1 (auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), `dateTime` TIMESTAMP(3), extra STRING) WITH ('connector' = 'blackhole');
INSERT INTO q1
SELECT auction, bidder, 0.908 * price, `dateTime`, extra FROM bid;
CREATE TABLE q2 (auction BIGINT, price BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q2
SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0;
CREATE TABLE q3 (name STRING, city STRING, state STRING, id BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q3
SELECT P.name, P.city, P.state, A.id FROM auction AS A INNER JOIN person AS P ON A.seller = P.id WHERE A.category = 10 AND (P.state = 'OR' OR P.state = 'ID' OR P.state = 'CA');
CREATE TABLE q4 (id BIGINT, final BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q4
SELECT Q.category, AVG(Q.final) FROM (SELECT MAX(B.price) AS final, A.category FROM auction A, bid B WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires GROUP BY A.id, A.category) Q GROUP BY Q.category;
CREATE TABLE q5 (auction BIGINT, num BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q5
SELECT AuctionBids.auction, AuctionBids.num FROM (
  SELECT auction, count(*) AS num, window_start AS starttime, window_end AS endtime FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND)) GROUP BY auction, window_start, window_end) AS AuctionBids
JOIN (SELECT max(CountBids.num) AS maxn, CountBids.starttime, CountBids.endtime FROM (
  SELECT count(*) AS num, window_start AS starttime, window_end AS endtime FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND)) GROUP BY auction, window_start, window_end) AS CountBids GROUP BY CountBids.starttime, CountBids.endtime) AS MaxBids
ON AuctionBids.starttime = MaxBids.starttime AND AuctionBids.endtime = MaxBids.endtime AND AuctionBids.num >= MaxBids.maxn;
CREATE TABLE q7 (auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING) WITH ('connector' = 'blackhole');
INSERT INTO q7
SELECT B.auction, B.bidder, B.price, B.`dateTime`, B.extra FROM bid B JOIN (SELECT MAX(price) AS maxprice, window_end AS `dateTime` FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)) GROUP BY window_start, window_end) B1 ON B.price = B1.maxprice WHERE B.`dateTime` BETWEEN B1.`dateTime` - INTERVAL '10' SECOND AND B1.`dateTime`;
CREATE TABLE q8 (id BIGINT, name STRING, stime TIMESTAMP(3)) WITH ('connector' = 'blackhole');
INSERT INTO q8
SELECT P.id, P.name, P.starttime FROM (SELECT id, name, window_start AS starttime, window_end AS endtime FROM TABLE(TUMBLE(TABLE person, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)) GROUP BY id, name, window_start, window_end) P
JOIN (SELECT seller, window_start AS starttime, window_end AS endtime FROM TABLE(TUMBLE(TABLE auction, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)) GROUP BY seller, window_start, window_end) A ON P.id = A.seller AND P.starttime = A.starttime AND P.endtime = A.endtime;
CREATE TABLE q9 (id BIGINT, itemName STRING, auction BIGINT, bidder BIGINT, price BIGINT, bid_time TIMESTAMP(3)) WITH ('connector' = 'blackhole');
INSERT INTO q9
SELECT id, itemName, auction, bidder, price, bid_time FROM (SELECT A.*, B.auction, B.bidder, B.price, B.`dateTime` AS bid_time, ROW_NUMBER() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.`dateTime` ASC) AS rownum FROM auction A, bid B WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires) WHERE rownum <= 1;
CREATE TABLE q11 (bidder BIGINT, bid_count BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3)) WITH ('connector' = 'blackhole');
INSERT INTO q11
SELECT B.bidder, count(*) AS bid_count, SESSION_START(B.`dateTime`, INTERVAL '10' SECOND), SESSION_END(B.`dateTime`, INTERVAL '10' SECOND) FROM bid B GROUP BY B.bidder, SESSION(B.`dateTime`, INTERVAL '10' SECOND);
CREATE VIEW B AS SELECT *, PROCTIME() AS p_time FROM bid;
CREATE TABLE q12 (bidder BIGINT, bid_count BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3)) WITH ('connector' = 'blackhole');
INSERT INTO q12
SELECT bidder, count(*), window_start, window_end FROM TABLE(TUMBLE(TABLE B, DESCRIPTOR(p_time), INTERVAL '10' SECOND)) GROUP BY bidder, window_start, window_end;
CREATE TABLE q14 (auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), bidTimeType STRING, `dateTime` TIMESTAMP(3), extra STRING) WITH ('connector' = 'blackhole');
INSERT INTO q14
SELECT auction, bidder, 0.908 * price, CASE WHEN HOUR(`dateTime`) >= 8 AND HOUR(`dateTime`) <= 18 THEN 'dayTime' WHEN HOUR(`dateTime`) <= 6 OR HOUR(`dateTime`) >= 20 THEN 'nightTime' ELSE 'otherTime' END, `dateTime`, extra FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
CREATE TABLE q15 (`day` STRING, total_bids BIGINT, rank1_bids BIGINT, total_bidders BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q15
SELECT DATE_FORMAT(`dateTime`, 'yyyy-MM-dd'), count(*), count(*) FILTER (WHERE price < 10000), count(distinct bidder) FILTER (WHERE price >= 10000) FROM bid GROUP BY DATE_FORMAT(`dateTime`, 'yyyy-MM-dd');
CREATE TABLE q17 (auction BIGINT, `day` STRING, total BIGINT, mn BIGINT, mx BIGINT, av BIGINT, s BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q17
SELECT auction, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd'), count(*), min(price), max(price), avg(price), sum(price) FROM bid GROUP BY auction, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd');
CREATE TABLE q18 (auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3)) WITH ('connector' = 'blackhole');
INSERT INTO q18
SELECT auction, bidder, price, `dateTime` FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY `dateTime` DESC) AS rank_number FROM bid) WHERE rank_number <= 1;
CREATE TABLE q19 (auction BIGINT, bidder BIGINT, price BIGINT, rank_number BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q19
SELECT auction, bidder, price, rank_number FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number FROM bid) WHERE rank_number <= 10;
CREATE TABLE q20 (auction BIGINT, bidder BIGINT, price BIGINT, itemName STRING) WITH ('connector' = 'blackhole');
INSERT INTO q20
SELECT auction, bidder, price, itemName FROM bid AS B INNER JOIN auction AS A ON B.auction = A.id WHERE A.category = 10;
CREATE TABLE q21 (auction BIGINT, channel_id STRING) WITH ('connector' = 'blackhole');
INSERT INTO q21
SELECT auction, CASE WHEN lower(channel) = 'apple' THEN '0' WHEN lower(channel) = 'google' THEN '1' ELSE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2) END FROM bid WHERE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2) IS NOT NULL OR lower(channel) IN ('apple', 'google', 'facebook', 'baidu');
CREATE TABLE q22 (auction BIGINT, d1 STRING, d2 STRING, d3 STRING) WITH ('connector' = 'blackhole');
INSERT INTO q22
SELECT auction, SPLIT_INDEX(url, '/', 3), SPLIT_INDEX(url, '/', 4), SPLIT_INDEX(url, '/', 5) FROM bid;
CREATE TABLE q10 (auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), dt STRING, hm STRING) PARTITIONED BY (dt, hm)
WITH ('connector' = 'filesystem', 'path' = 'file:///tmp/plan-test/nexmark/q10', 'format' = 'csv', 'sink.partition-commit.trigger' = 'partition-time', 'sink.partition-commit.delay' = '1 min', 'sink.partition-commit.policy.kind' = 'success-file', 'partition.time-extractor.timestamp-pattern' = '$dt $hm:00', 'sink.rolling-policy.rollover-interval' = '1min', 'sink.rolling-policy.check-interval' = '1min');
INSERT INTO q10
SELECT auction, bidder, price, `dateTime`, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd'), DATE_FORMAT(`dateTime`, 'HH:mm') FROM bid;
CREATE TABLE q16 (channel STRING, `day` STRING, total_bids BIGINT, rank1_bids BIGINT, total_bidders BIGINT, rank2_bidders BIGINT) WITH ('connector' = 'blackhole');
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '2s';
SET 'table.exec.mini-batch.size' = '50000';
INSERT INTO q16
SELECT channel, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd'), count(*), count(*) FILTER (WHERE price < 10000), count(distinct bidder), count(distinct bidder) FILTER (WHERE price >= 10000) FROM bid GROUP BY channel, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd');
RESET;
CREATE TABLE q23 (bidder BIGINT, name STRING, itemName STRING, price BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO q23
SELECT B.bidder, P.name, A.itemName, B.price FROM bid B JOIN auction A ON B.auction = A.id JOIN person P ON A.seller = P.id WHERE P.state = 'OR';
