//! What is looked at from outside a sign-in wall.

use super::*;

#[test]
fn a_wall_is_looked_at_from_outside() {
    let document = r#"{"authorization_servers": ["https://as.example/t"]}"#;
    let found = || reply(200, "application/json", document);
    let metadata = || {
        vec![
            ("prm /prm", found()),
            (
                "as /.well-known/oauth-authorization-server/t",
                reply(404, "", ""),
            ),
            (
                "as /.well-known/openid-configuration/t",
                reply(200, "application/json", "{}"),
            ),
        ]
    };
    for (case, mut steps) in [
        (
            "before the handshake",
            vec![("discover", wall()), ("initialize", wall())],
        ),
        (
            "at the acknowledgement",
            vec![
                ("discover", wall()),
                ("initialize", initialized("2025-11-25")),
                ("initialized", wall()),
            ],
        ),
        (
            "at the list",
            vec![
                ("discover", discovered(&["2026-07-28"])),
                ("list 1", wall()),
            ],
        ),
        (
            "at the call",
            vec![
                ("discover", discovered(&["2026-07-28"])),
                ("list 1", list()),
                ("call", wall()),
            ],
        ),
        (
            "behind 403",
            vec![("discover", walled(403)), ("initialize", walled(403))],
        ),
        (
            "401 says more than 403",
            vec![
                ("discover", wall()),
                (
                    "initialize",
                    with(reply(403, "", ""), "www-authenticate", "Bearer"),
                ),
            ],
        ),
        (
            // A challenge once seen is not forgotten for a 401 without one.
            "at discover alone",
            vec![("discover", wall()), ("initialize", reply(401, "", ""))],
        ),
    ] {
        steps.extend(metadata());
        let held = hold(case, steps);
        assert_eq!(held.stop(), None, "{case}");
        let get = held
            .requests
            .iter()
            .find(|r| r.method == Method::Get)
            .unwrap();
        assert_eq!(get.url.as_str(), "https://h.example/prm", "{case}");
    }

    let held = hold(
        "a session behind the wall is ended last",
        vec![
            ("discover", reply(400, "", "")),
            ("initialize", session(initialized("2025-11-25"), "s")),
            ("initialized", accepted()),
            ("list 1", wall()),
            ("prm /prm", reply(404, "", "")),
            ("delete", reply(200, "", "")),
        ],
    );
    assert_eq!(held.stop(), None);
}

#[test]
fn metadata_that_cannot_be_had_stops_no_run() {
    for (kind, goes_on) in [
        (FailureKind::ConnectRefused, true),
        (FailureKind::PolicyRefused, true),
        (FailureKind::TooManyRedirects, true),
        (FailureKind::TooLarge, true),
        (FailureKind::BudgetRequests, false),
        (FailureKind::TimedOut, false),
        (FailureKind::BudgetTime, false),
    ] {
        let case = kind.as_str_name();
        let mut steps = vec![
            ("discover", reply(401, "", "")),
            ("initialize", reply(401, "", "")),
            (
                "prm /.well-known/oauth-protected-resource/mcp",
                failure(kind),
            ),
        ];
        if goes_on {
            steps.push((
                "prm /.well-known/oauth-protected-resource",
                reply(404, "", ""),
            ));
        }
        assert_eq!(hold(case, steps).stop(), None, "{case}");
    }
    // Being asked for patience does, wherever it happens.
    let held = hold(
        "429 on metadata",
        vec![
            ("discover", wall()),
            ("initialize", wall()),
            ("prm /prm", reply(429, "", "")),
        ],
    );
    assert_eq!(held.stop(), Some((StopKind::RateLimited, 2, 0)));
}
