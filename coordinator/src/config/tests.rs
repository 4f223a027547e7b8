use super::*;

fn parse(text: &str) -> Result<Config, String> {
    let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
    config.check().map_err(|error| error.to_string())?;
    Ok(config)
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
    let shown = format!("{full:?}");
    assert!(!shown.contains("secret"), "{shown}");
    let seeds = full.seeds().unwrap();
    assert_eq!(seeds[0].regions, ["fra", "iad"]);
    assert_eq!(
        (seeds[1].tier, seeds[1].source),
        (Tier::Indie, EndpointSource::CommandLine)
    );
}

#[test]
fn a_url_that_the_file_does_not_have_comes_from_the_environment() {
    let environment = |variable: &str| Some(format!("from {variable}"));
    let urls = |text: &str, variable: &dyn Fn(&str) -> Option<String>| {
        let config: Config = toml::from_str(text).unwrap();
        let config = config.with_urls_of(text, variable);
        let queue = config.queue_url.map(|url| url.expose().to_owned());
        (config.database_url.expose().to_owned(), queue)
    };
    assert_eq!(
        urls("", &environment),
        (
            "from DATABASE_URL".to_owned(),
            Some("from QUEUE_URL".to_owned())
        )
    );
    let file = "database_url = 'sqlite:x'\nqueue_url = 'redis://x'";
    let of_file = ("sqlite:x".to_owned(), Some("redis://x".to_owned()));
    assert_eq!(urls(file, &environment), of_file);
    let old_name = urls("database = 'sqlite:x'", &environment);
    assert_eq!(old_name.0, "sqlite:x");
    let neither = (default_database().expose().to_owned(), None);
    assert_eq!(urls("", &|_| None), neither);
}

#[test]
fn what_cannot_be_used_is_refused_and_named() {
    for (text, named) in [
        ("databse = 'x'", "databse"),
        ("database_url = 'mysql://h/x'", "postgres:"),
        ("database_url = 'postgres://h'", "names no database"),
        (
            "database_url = 'postgres://h/x'\ndatabase_limit_mb = 1",
            "size limit",
        ),
        ("queue_url = 'amqp://h'", "redis:"),
        ("queue_url = 'redis://h'", "PostgreSQL"),
        ("runs_kept_days = 89", "runs_kept_days"),
        ("agents_listen = '0.0.0.0:7000'", "loopback"),
        ("agents_listen = 'fleet.sock'", "agents_listen"),
        ("agents_listen = 'unix:'", "agents_listen"),
        ("signer = '127.0.0.1:1'", "unix:PATH"),
        ("operator_listen = '127.0.0.1:1'", "operator_listen"),
        ("pages_listen = 'localhost'", "pages_listen"),
        ("regions = []", "regions"),
        ("regions = ['Frankfurt am Main']", "regions"),
        ("regions = ['fra', 'fra']", "each once"),
        (
            "[[targets]]\nurl = 'https://a.example'\nregions = ['fra']",
            "fra",
        ),
        ("public_url = 'touchstone.example'", "public_url"),
        ("[[targets]]\nurl = 'a.example'", "target"),
        (
            "[[targets]]\nurl = 'https://a.example'\ntier = 'gold'",
            "gold",
        ),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(named), "{text}: {error}");
    }
    let password = "database_url = 'postgres://u:secret@h'";
    assert!(!parse(password).unwrap_err().contains("secret"));
    for kept in ["runs_kept_days = 0", "runs_kept_days = 90"] {
        parse(kept).unwrap();
    }
}
