-- Connectors report later what became of a message that they were still working on. Few messages are in this index.
create index traces_by_open_message on traces (connector_id, message_id) where result in ('retried', 'unreported');
