//! Both engines have the same tables with the same columns.

use std::collections::BTreeSet;

use sqlx::{AnyConnection, Executor as _, Row as _};

use super::Fixture;

/// Table, column, kind and whether it may be empty.
async fn columns(connection: &mut AnyConnection, sql: &'static str) -> BTreeSet<[String; 4]> {
    let rows = connection.fetch_all(sql).await.unwrap();
    let text = |row: &sqlx::any::AnyRow, index: usize| row.try_get::<String, _>(index).unwrap();
    rows.iter()
        .map(|row| [0, 1, 2, 3].map(|index| text(row, index)))
        .collect()
}

#[tokio::test]
async fn both_engines_have_the_same_columns() {
    let sqlite = Fixture::sqlite().await;
    let of_sqlite = columns(
        &mut sqlite.other_connection().await,
        "SELECT m.name, c.name, CASE c.type WHEN 'BLOB' THEN 'BYTEA' ELSE c.type END, \
         CASE c.\"notnull\" WHEN 1 THEN 'NO' ELSE 'YES' END \
         FROM sqlite_master m JOIN pragma_table_info(m.name) c \
         WHERE m.type = 'table' AND m.name NOT LIKE '\\_%' ESCAPE '\\' \
         AND m.name NOT LIKE 'sqlite%'",
    )
    .await;
    let postgres = Fixture::postgres().await;
    let of_postgres = columns(
        &mut postgres.other_connection().await,
        "SELECT table_name::text, column_name::text, upper(data_type)::text, is_nullable::text \
         FROM information_schema.columns WHERE table_schema = 'public' \
         AND table_name NOT LIKE '\\_%'",
    )
    .await;
    assert_eq!(of_sqlite, of_postgres);
    let tables: BTreeSet<_> = of_sqlite.iter().map(|column| &column[0]).collect();
    assert!(tables.len() > 10, "{tables:?}");
}
