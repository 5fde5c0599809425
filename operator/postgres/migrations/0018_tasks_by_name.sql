-- Why: people ask for a task by its name, and what is told of it is read by that: without an index each question reads every task there ever was.

create index tasks_by_name on genop.tasks (namespace, name, registered_at desc);
