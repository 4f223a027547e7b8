#[tokio::test]
async fn preview() {
    if std::env::var("PREVIEW").is_err() {
        return;
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:7999")
        .await
        .unwrap();
    axum::serve(listener, super::sample::Sample::new().router())
        .await
        .unwrap();
}
