/* header; with 'quotes' and "double" -- inside
   and more */
--comment; with semicolon 'and quote
SET 'pipeline.name' = 'it''s; a "job" -- name';
SET 'table.exec.sink.not-null-enforcer'='DROP' ;
CREATE TABLE `t;1` (`sel''ect` STRING, `a``b` INT, `größe` DOUBLE) WITH ('connector'='datagen');
CREATE TABLE `out put` (
  a STRING NOT NULL, -- not; null
  /* b; */ b INT
) COMMENT 'semi;colon' WITH (
  'connector'='print', 'print-identifier'='--no comment;'
);
INSERT INTO `out put`
SELECT `sel''ect` || ';' || '--' || '/*' /* real */, `a``b` -- tail
FROM `t;1`
WHERE `größe` > 1e-3 AND `sel''ect` LIKE '%''%';

;
insert   into `out put` select U&'\00e4', 1 from `t;1`
