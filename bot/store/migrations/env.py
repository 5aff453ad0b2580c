"""Runs revisions on the connection it is handed, inside the transaction that is open there."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    render_as_batch=True,  # SQLite's ALTER knows little; a batch rebuilds the table
    transactional_ddl=True,  # true of SQLite once the driver starts no transactions of its own
)
with context.begin_transaction():
    context.run_migrations()
