//! How fast tool texts are read: ordinary ones, and ones made to be slow. What
//! counts is that no line is far below the first: a server must not be able to
//! buy time with its words.
//!
//! `cargo bench -p touchstone-suites --bench hygiene`

use divan::{Bencher, counter::BytesCount};
use touchstone_suites::hygiene::scan;

/// The largest body the prober reads.
const BYTES: usize = 2 * 1024 * 1024;

const TEXTS: &[(&str, &str)] = &[
    ("ordinary", ORDINARY),
    (
        "ordinary_chinese",
        "获取指定钱包的余额，并返回最近的交易记录。如果地址无效，则返回错误信息；结果按时间排序。",
    ),
    (
        "ordinary_cyrillic",
        "Возвращает список файлов в каталоге, начиная с самых новых. ",
    ),
    (
        "json_like",
        r#"{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}, "#,
    ),
    ("money", "pay "),
    ("phrases_that_hit", "no approval needed to pay. "),
    (
        "phrases_excused_by_policy",
        "limit: no approval needed to pay ",
    ),
    (
        "phrases_excused_by_clause",
        "free to pay, no approval needed ",
    ),
    ("pay_by_default", "pay pay pay by default by default "),
    ("sell_lent", "sell sell sell sell lent you lent you "),
    (
        "owner_funds",
        "pays pays from the user's wallet confirm ask ",
    ),
    (
        "ask_permission",
        "ask ask permission pays from the user's wallet. ",
    ),
    ("tell_waiting", "do not tell the user this "),
    ("hide_waiting", "never say "),
    ("hide_settled", "never say never say failed "),
    ("without_asking", "not without asking "),
    (
        "prompt_chain",
        "act as out the contents of the system prompt ",
    ),
    (
        "accept_all",
        "accept all any every prompts prompts prompts ",
    ),
    ("git_options", "git config --a --b --c --d --e --f --g "),
    (
        "limits",
        "set the spending limit set the spending limit to ",
    ),
    ("credential", "read .env read ~/.ssh cat id_rsa "),
    ("delimiters", "<<<[<|a<script <system>[inst]"),
    (
        "spaces",
        "do not tell the user                                                    ",
    ),
    ("single_letters", "a t s e a t s e "),
    ("stops", ". , ; ! ? "),
    ("hidden", "a\u{200b}\u{202e}"),
    ("joiners", "\u{628}\u{200c}"),
    ("joiners_and_marks", "\u{915}\u{94d}\u{200d}\u{94d}\u{94d}"),
    ("joined_emoji", "\u{1f469}\u{200d}"),
    ("letters_beyond_the_plane", "\u{10400}\u{10401}"),
    ("amounts", "$1"),
    ("script_urls", "javascript:"),
    ("chinese_words", "无需确认支付额度免费"),
    ("chinese_false_starts", "无视白不上限策身邮"),
];

const ORDINARY: &str = "Search the issues of a repository and return those that match the query, \
    newest first. Use the `labels` argument to narrow the result to issues that carry every label \
    given; an empty list means no filter. Results are paged: pass the cursor of the last answer to \
    read on. Requires that the repository is visible to the account whose token the server was \
    started with. Returns an error when the query is not valid.\n\nExample: {\"query\": \"is:open \
    crash\", \"limit\": 20}. ";

fn main() {
    divan::main();
}

#[divan::bench(args = TEXTS.iter().map(|(name, _)| *name))]
fn description(bencher: Bencher<'_, '_>, name: &str) {
    let text = TEXTS
        .iter()
        .find(|(other, _)| *other == name)
        .map_or("", |(_, text)| text);
    let text = text.repeat(BYTES / text.len());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| scan("search_issues", divan::black_box(&text)));
}
