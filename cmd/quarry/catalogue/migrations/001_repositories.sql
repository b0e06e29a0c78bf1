-- +goose Up
create table repositories (
	name     text primary key,
	address  text not null,
	branch   text not null default '', -- '': the one that the remote begins with
	added    timestamptz not null default now(),
	removing boolean not null default false,
	requests bigint not null default 0, -- how often it was asked for, so that a job sees what came meanwhile

	seen        text not null default '', -- the commit of the branch when the remote was looked at
	seen_at     timestamptz,
	unreachable text not null default '', -- why the last look found nothing; '': it did

	tried      text not null default '', -- the commit of the last job
	commit     text not null default '', -- of the snapshot
	trunk      text not null default '', -- the branch of the snapshot
	snapshot   text not null default '', -- its SHA-256
	bytes      bigint not null default 0,
	files      integer not null default 0,
	chunks     integer not null default 0,
	note       text not null default '', -- what the snapshot lacks
	indexed_at timestamptz,

	failure   text not null default '', -- why the last job failed; '': it did not
	failed_at timestamptz
);

-- +goose Down
drop table repositories;
