use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Result<Config, String> {
    parse_with(text, |_| None)
}

fn parse_with(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Config, String> {
    Config::read(text, variable).map_err(|fault| fault.to_string())
}

#[test]
fn an_empty_file_is_the_default_and_every_key_is_read() {
    let empty = parse("").unwrap();
    assert_eq!(format!("{empty:?}"), format!("{:?}", Config::default()));
    let written = toml::to_string(&empty).unwrap();
    assert_eq!(
        format!("{:?}", parse(&written).unwrap()),
        format!("{empty:?}")
    );
    let full = parse(
        r#"
        database_url = "postgres://t:secret@db.example/touchstone?sslmode=require"
        queue_url = "rediss://:secret@queue.example"
        runs_kept_days = 400
        signer = "unix:s.sock"
        agents_listen = "127.0.0.1:7000"
        operator_listen = "unix:o.sock"
        pages_listen = "0.0.0.0:80"
        public_url = "https://touchstone.example"
        regions = ["fra", "iad"]
        log = { format = "human", filter = "debug" }
        [[targets]]
        url = "https://a.example/mcp"
        [[targets]]
        url = "https://b.example/mcp"
        tier = "indie"
        regions = ["iad"]
        source = "command_line"
        "#,
    )
    .unwrap();
    assert_eq!(
        full.agents().unwrap(),
        Address::Tcp(([127, 0, 0, 1], 7000).into())
    );
    assert_eq!(full.operator_socket().unwrap(), Path::new("o.sock"));
    assert_eq!(full.runs_kept_days(), Some(400));
    let shown = format!("{full:?}");
    assert!(!shown.contains("secret"), "{shown}");
    let limited = parse("database = 'sqlite:x.sqlite'\ndatabase_limit_mb = 500").unwrap();
    assert_eq!(limited.database_url.expose(), "sqlite:x.sqlite");
    assert_eq!(limited.database_limit_mb, Some(500));
    let seeds = full.seeds().unwrap();
    assert_eq!(seeds[0].regions, ["fra", "iad"]);
    assert_eq!(
        (seeds[1].tier, seeds[1].source),
        (Tier::Indie, EndpointSource::CommandLine)
    );
}

#[test]
fn what_cannot_be_used_is_refused_and_named() {
    for (text, named) in [
        ("databse = 'x'", "databse"),
        ("\ndatabase_url = 'mysql://h/x'", "line 2: database_url"),
        ("\ndatabase = 'mysql://h/x'", "line 2: database_url"),
        ("database_url = 'postgres://h'", "names no database"),
        (
            "database_url = 'postgres://h/x'\ndatabase_limit_mb = 1",
            "size limit",
        ),
        (
            "database_url = 'sqlite:x'\ndatabase = 'sqlite:x'",
            "duplicate field",
        ),
        ("queue_url = 'amqp://h'", "redis:"),
        ("\nqueue_url = 'redis://h'", "line 2: queue_url"),
        ("queue_url = 'redis://h'", "PostgreSQL"),
        ("runs_kept_days = 89", "line 1: runs_kept_days"),
        ("agents_listen = '0.0.0.0:7000'", "loopback"),
        ("agents_listen = 'fleet.sock'", "agents_listen"),
        ("agents_listen = 'unix:'", "agents_listen"),
        ("signer = '127.0.0.1:1'", "unix:PATH"),
        ("operator_listen = '127.0.0.1:1'", "operator_listen"),
        (
            "pages_listen = 'localhost'",
            "line 1: invalid socket address",
        ),
        ("database = 'sqlite:x'\nregions = []", "line 2: regions"),
        ("regions = ['Frankfurt am Main']", "regions"),
        ("regions = ['fra', 'fra']", "each once"),
        (
            "[[targets]]\nurl = 'https://a.example'\nregions = ['fra']",
            "fra",
        ),
        ("public_url = 'touchstone.example'", "line 1: public_url"),
        (
            "[[targets]]\nurl = 'a.example'",
            "line 2: adding the target",
        ),
        (
            "[[targets]]\nurl = 'https://a.example'\ntier = 'gold'",
            "gold",
        ),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(named), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_configuration_or_is_refused(
        text in prop_oneof![
            "\\PC{0,60}",
            "(agents_listen|signer|public_url|regions) ?= ?[\\[\\]\"a-z0-9:/., \n]{0,40}",
            "agents_listen = \"(unix:)?[\\[\\]a-z0-9:./]{0,30}\"",
            "\\[\\[targets\\]\\]\nurl = \"(https?://)?[a-z0-9:./@é]{0,30}\"",
        ],
    ) {
        if let Ok(config) = parse(&text) {
            let written = toml::to_string(&config).unwrap();
            let again = parse(&written).unwrap();
            prop_assert_eq!(format!("{again:?}"), format!("{config:?}"));
        }
    }
}

#[test]
fn what_may_be_a_secret_is_refused_and_not_repeated() {
    for text in [
        "agents_listen = 'http://operator:hunter2@127.0.0.1:7000'",
        "signer = 'operator:hunter2@127.0.0.1:7000'",
        "public_url = 'https://operator:hunter2@touchstone.example'",
        "public_url = 'ftp://hunter2@touchstone.example'",
        "[[targets]]\nurl = 'https://operator:hunter2@a.example/mcp'",
        "[[targets]]\nurl = 'ftp://operator:hunter2@a.example/mcp'",
        "[[targets]]\nurl = 'operator:hunter2@a.example/mcp'",
        "[[targets]]\nurl = 'https://hunter2@a.example/mcp'\nregions = ['nowhere']",
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains("user name or"), "{text}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    assert!(parse("[[targets]]\nurl = 'https://a.example/@scope/mcp'").is_ok());
}

#[test]
fn a_password_of_a_service_is_not_repeated_whatever_is_wrong_with_its_url() {
    for url in [
        "postgres://u:hunter2@h",
        "postgres://u:hunter2@h:port/x",
        "postgres://u:hunter2@h/x#y",
        "postgres://u:a#hunter2@h/x",
        "postgres://u:1?hunter2@h/x",
        "postgres://u:1/hunter2@h/x",
        "postgres://u:p@h/x?hunter2=1",
        "postgres://u:p@h/x?sslmode=hunter2",
        "mysql://u:hunter2@h/x",
        "hunter2",
    ] {
        let of_file = parse(&format!("database_url = '{url}'")).unwrap_err();
        let of_environment =
            parse_with("", |name| (name == "DATABASE_URL").then(|| url.to_owned()));
        for error in [of_file, of_environment.unwrap_err()] {
            assert!(error.contains("database_url"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
    for url in [
        "redis://:hunter2@h/x",
        "redis://:hunter2@h:port",
        "redis://:1/hunter2@h",
        "redis://:1?hunter2@h",
        "amqp://:hunter2@h",
    ] {
        let file = format!("database_url = 'postgres://h/x'\nqueue_url = '{url}'");
        let error = parse(&file).unwrap_err();
        assert!(error.contains("line 2: queue_url"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn runs_are_kept_for_the_days_of_a_report_or_for_ever() {
    assert_eq!(parse("runs_kept_days = 0").unwrap().runs_kept_days(), None);
    let least = parse("runs_kept_days = 90").unwrap();
    assert_eq!(least.runs_kept_days(), Some(90));
}

#[test]
fn a_url_that_the_file_does_not_have_comes_from_the_environment() {
    let environment = |name: &str| match name {
        "DATABASE_URL" => Some("postgres://of.environment/x".to_owned()),
        "REDIS_URL" => Some("redis://of.environment".to_owned()),
        _ => None,
    };
    let urls = |text: &str| {
        let config = parse_with(text, environment).unwrap();
        let queue = config.queue_url.map(|url| url.expose().to_owned());
        (config.database_url.expose().to_owned(), queue)
    };
    let of = |database: &str, queue: Option<&str>| (database.to_owned(), queue.map(str::to_owned));
    let redis = Some("redis://of.environment");
    assert_eq!(urls(""), of("postgres://of.environment/x", redis));
    assert_eq!(
        urls("database_url = 'postgres://h/x'\nqueue_url = 'redis://h'"),
        of("postgres://h/x", Some("redis://h"))
    );
    assert_eq!(
        urls("database = 'postgres://h/x'"),
        of("postgres://h/x", redis)
    );
    // A database of its own needs no queue, and is started beside other programs.
    assert_eq!(urls("database_url = 'sqlite:x'"), of("sqlite:x", None));
    let empty = parse_with("", |_| Some(String::new())).unwrap();
    assert_eq!(format!("{empty:?}"), format!("{:?}", Config::default()));
}

#[test]
fn a_socket_whose_path_is_too_long_is_refused_with_its_line() {
    for key in ["signer", "agents_listen", "operator_listen"] {
        let fits = format!("{key} = 'unix:{}'", "s".repeat(SOCKET_PATH_LIMIT_BYTES));
        parse(&fits).unwrap();
        let error = parse(&format!("\n{}", fits.replace("unix:", "unix:s"))).unwrap_err();
        assert!(
            error.contains(&format!("line 2: {key} is a path of 108 bytes")),
            "{error}"
        );
    }
}
