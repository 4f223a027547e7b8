//! How fast tool texts are read: ordinary ones, and ones made to be slow. What
//! counts is that no line is far below the first: a server must not be able to
//! buy time with its words.

use std::hint::black_box;

use touchstone_suites::hygiene::scan;

use crate::timing::{Side, race};

/// The largest body the prober reads.
const BYTES: usize = 2 * 1024 * 1024;

/// By name; the first is what the others are held against.
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

pub(crate) fn run() {
    println!("hygiene: a description of 2 MB, as many times an ordinary one's cost a byte");
    let texts: Vec<(&str, String)> = TEXTS
        .iter()
        .map(|(name, text)| (*name, text.repeat(BYTES / text.len())))
        .collect();
    let sides = texts.iter().map(|(name, text)| {
        let run = || {
            black_box(scan("search_issues", black_box(text)));
        };
        Side::new(name, run)
    });
    let times = race(sides.collect());
    let rate = |index: usize| texts[index].1.len() as f64 / times[index].as_secs_f64();
    for (index, (name, _)) in texts.iter().enumerate() {
        let dearer = rate(0) / rate(index);
        println!("  {name:26} {:7.0} MB/s {dearer:7.2}", rate(index) / 1e6);
    }
}
