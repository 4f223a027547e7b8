//! The directory: targets in the order of their slugs, each with its newest run.

use super::Reader;
use crate::store::{
    StoreError,
    read::{
        DIRECTORY_LIMIT, DIRECTORY_WORDS, DirectoryEntry, DirectoryPage, DirectoryQuery,
        MATCHED_TOOLS, SignatureFilter,
    },
    row,
    row::{run_columns, target_columns},
};

/// Every target with its newest run, as far as the query's words and filter let
/// it through: `$1`..`$4` patterns, `$5` the filter.
macro_rules! fitting {
    () => {
        " FROM targets t LEFT JOIN runs r ON r.run_id = ( \
            SELECT n.run_id FROM runs n WHERE n.target_id = t.target_id \
            ORDER BY n.slot_at_ms DESC, n.stored_at_ms DESC LIMIT 1) \
         LEFT JOIN current_tools l ON l.target_id = t.target_id \
         WHERE (LOWER(t.url) LIKE $1 ESCAPE '!' OR l.folded LIKE $1 ESCAPE '!') \
         AND (LOWER(t.url) LIKE $2 ESCAPE '!' OR l.folded LIKE $2 ESCAPE '!') \
         AND (LOWER(t.url) LIKE $3 ESCAPE '!' OR l.folded LIKE $3 ESCAPE '!') \
         AND (LOWER(t.url) LIKE $4 ESCAPE '!' OR l.folded LIKE $4 ESCAPE '!') \
         AND ($5 = '' OR r.attestation = $5 OR ($5 = 'none' AND \
            (r.attestation IS NULL OR r.attestation NOT IN ('full', 'limited'))))"
    };
}

impl Reader {
    /// A part of the directory.
    pub async fn directory(&self, query: &DirectoryQuery) -> Result<DirectoryPage, StoreError> {
        self.read_directory(query)
            .await
            .map_err(self.store.failed("reading the directory"))
    }

    async fn read_directory(&self, query: &DirectoryQuery) -> Result<DirectoryPage, sqlx::Error> {
        let [one, two, three, four] = patterns(&query.text);
        let filter = match query.signature {
            None => "",
            Some(SignatureFilter::Full) => "full",
            Some(SignatureFilter::Limited) => "limited",
            Some(SignatureFilter::None) => "none",
        };
        let limit = match query.limit {
            0 => DIRECTORY_LIMIT,
            limit => limit.min(DIRECTORY_LIMIT),
        };
        let total = sqlx::query(concat!("SELECT COUNT(*) AS n", fitting!()))
            .bind(&one)
            .bind(&two)
            .bind(&three)
            .bind(&four)
            .bind(filter)
            .fetch_one(&self.store.pool)
            .await?;
        let rows = sqlx::query(concat!(
            "SELECT ",
            target_columns!(),
            ", ",
            run_columns!(),
            ", l.names AS tool_names",
            fitting!(),
            " AND t.slug > $6 ORDER BY t.slug LIMIT $7"
        ))
        .bind(&one)
        .bind(&two)
        .bind(&three)
        .bind(&four)
        .bind(filter)
        .bind(query.cursor.as_deref().unwrap_or_default())
        // One more, to know whether there is a next part.
        .bind(i64::from(limit) + 1)
        .fetch_all(&self.store.pool)
        .await?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            if entries.len() == limit as usize {
                break;
            }
            let target = row::target(row)?;
            let has_run = sqlx::Row::try_get::<Option<String>, _>(row, "run_id")?.is_some();
            entries.push(DirectoryEntry {
                newest: has_run.then(|| row::run(row)).transpose()?,
                states: row::states(row)?,
                observed_days: self.observed_days(&target).await?,
                tools_unchanged: self.store.tools_unchanged(&target.target_id).await?,
                matched_tools: sqlx::Row::try_get::<Option<String>, _>(row, "tool_names")?
                    .map(|names| matched(&names, &query.text))
                    .unwrap_or_default(),
                target: self.target_view(&target),
            });
        }
        let more = rows.len() > entries.len();
        Ok(DirectoryPage {
            next: entries
                .last()
                .filter(|_| more)
                .map(|entry| entry.target.slug.clone()),
            total: row::unsigned(&total, "n")?,
            entries,
        })
    }
}

/// One LIKE pattern a word; those that are left over let everything through.
fn patterns(text: &str) -> [String; DIRECTORY_WORDS] {
    let mut patterns = [const { String::new() }; DIRECTORY_WORDS].map(|_| "%".to_owned());
    for (pattern, word) in patterns.iter_mut().zip(text.split_whitespace()) {
        for character in word.chars().flat_map(char::to_lowercase) {
            if matches!(character, '%' | '_' | '!') {
                pattern.push('!');
            }
            pattern.push(character);
        }
        pattern.push('%');
    }
    patterns
}

/// Names that hold a word of the query.
fn matched(names: &str, text: &str) -> Vec<String> {
    let words: Vec<String> = text
        .split_whitespace()
        .take(DIRECTORY_WORDS)
        .map(str::to_lowercase)
        .collect();
    let fits = |name: &&str| {
        let name = name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    };
    let names = names.lines().filter(fits).take(MATCHED_TOOLS);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_when_its_name_holds_a_word() {
        let names = "get_Tide\nput_tide\nother\ntide_3\ntide_4";
        assert_eq!(matched(names, "TIDE x"), ["get_Tide", "put_tide", "tide_3"]);
        assert!(matched(names, "").is_empty());
        assert!(matched(names, "%").is_empty());
    }

    #[test]
    fn words_become_patterns_that_mean_themselves() {
        assert_eq!(patterns(""), ["%", "%", "%", "%"]);
        assert_eq!(
            patterns(" A_b  100% x! c d e"),
            ["%a!_b%", "%100!%%", "%x!!%", "%c%"]
        );
    }
}
