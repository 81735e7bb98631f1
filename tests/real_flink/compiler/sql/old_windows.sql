create table orders (id bigint, product varchar(20), amount decimal(10,2), order_time timestamp(3), watermark for order_time as order_time) with ('connector'='datagen');
create table agg (product varchar(20), total decimal(38,2), first_at timestamp(3)) with ('connector'='blackhole');
create table agg2 (product varchar(20), total decimal(38,2), first_at timestamp(3)) with ('connector'='blackhole');
insert into agg select product, sum(amount), tumble_start(order_time, interval '1' hour) from orders group by product, tumble(order_time, interval '1' hour);
insert into agg2 select product, sum(amount), session_start(order_time, interval '10' minute) from orders group by product, session(order_time, interval '10' minute);
insert into agg2 select product, sum(amount), hop_start(order_time, interval '1' minute, interval '10' minute) from orders group by product, hop(order_time, interval '1' minute, interval '10' minute);
