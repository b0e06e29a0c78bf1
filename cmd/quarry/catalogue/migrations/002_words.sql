-- +goose Up
alter table repositories
	add column id integer generated always as identity unique, -- what repository_words has in place of the name
	add column used bigint not null default 0;                  -- how often it was asked

-- Which words the chunks of a repository have, so that a search over all asks those first that are the
-- likeliest to have something. Words are hashes.
create table repository_words (
	word       bigint not null,
	repository integer not null references repositories (id) on delete cascade,
	chunks     integer not null, -- that have it
	primary key (word, repository) include (chunks)
);
create index on repository_words (repository);

-- +goose Down
drop table repository_words;
alter table repositories drop column id, drop column used;
