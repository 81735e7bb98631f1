SET 'table.optimizer.join-reorder-enabled' = 'true';
SET 'table.exec.source.idle-timeout' = '10 s';
CREATE TABLE c (cid INT, n STRING, PRIMARY KEY (cid) NOT ENFORCED) WITH ('connector'='datagen');
CREATE TABLE o (oid INT, cid INT, PRIMARY KEY (oid) NOT ENFORCED) WITH ('connector'='datagen');
CREATE TABLE l (lid INT, oid INT, amt DOUBLE) WITH ('connector'='datagen');
CREATE TABLE r (n STRING, amt DOUBLE) WITH ('connector'='blackhole');
INSERT INTO r SELECT c.n, SUM(l.amt) FROM c JOIN o ON c.cid = o.cid JOIN l ON l.oid = o.oid GROUP BY c.n;
INSERT INTO r SELECT c.n, l.amt FROM c LEFT JOIN o ON c.cid = o.cid LEFT JOIN l ON l.oid = o.oid;
INSERT INTO r SELECT c.n, (SELECT MAX(amt) FROM l WHERE l.lid = c.cid) FROM c;
