//! A headless browser, driven over its DevTools pipe: JSON messages that end in a zero byte.
//!
//! The browser reads file descriptor 3 and writes 4; a shell makes these its standard input and
//! output, so this needs no more than a child process.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    sent: u64,
    session: Option<String>,
    /// Exceptions, errors of the console and of the log since the page was opened.
    pub(crate) errors: Vec<String>,
    _profile: tempfile::TempDir,
}

/// The browser to test with: `COTANGENT_BROWSER`, what `scripts/setup-browser` installed, or one
/// on the path. Without one a test is skipped, which `scripts/test` says, unless one is `required`.
pub(crate) fn find() -> Option<PathBuf> {
    let named = std::env::var_os("COTANGENT_BROWSER").filter(|named| !named.is_empty());
    let found = match named.as_ref().and_then(|named| named.to_str()) {
        Some("none") => None,
        Some("required") | None => installed(),
        Some(named) => Some(named.into()),
    };
    let required = named.as_ref().is_some_and(|named| named == "required");
    assert!(found.is_some() || !required, "a browser is required, and there is none; run scripts/setup-browser");
    found
}

fn installed() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = root.join("target/browser/chromium");
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    [installed].into_iter().chain(on_path).find(|candidate| candidate.is_file())
}

impl Browser {
    pub(crate) fn start(program: &Path) -> Browser {
        let profile = tempfile::tempdir().expect("a directory for the profile");
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .args(["--no-first-run", "--disable-extensions", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("TMPDIR", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let input = process.stdin.take().expect("its input");
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|n| n > 0) {
                bytes.pop();
                let Ok(message) = serde_json::from_slice(&bytes) else { break };
                if sender.send(message).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut browser =
            Browser { process, input, messages, sent: 0, session: None, errors: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let screen = json!({ "width": 1100, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", screen);
        browser
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        self.input.flush().expect("the browser listens");
        loop {
            let answer = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == json!(self.sent) {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        let bad = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => parameters["type"] == "error",
            Some("Log.entryAdded") => parameters["entry"]["level"] == "error",
            // The page itself is the only thing that may be asked for.
            Some("Network.requestWillBeSent") => parameters["type"] != "Document",
            _ => false,
        };
        if bad {
            self.errors.push(event.to_string());
        }
    }

    /// Opens a file and waits until it is drawn.
    pub(crate) fn open(&mut self, path: &Path) {
        self.errors.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}#check", path.display()) }));
        self.wait("document.getElementById('self-check')?.textContent");
    }

    /// Waits until the expression is true, at most some seconds.
    pub(crate) fn wait(&mut self, expression: &str) {
        for _ in 0..200 {
            if self.evaluate(&format!("!!({expression})")) == json!(true) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("never true: {expression}; errors: {:?}", self.errors);
    }

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// What the page says of itself.
    pub(crate) fn check(&mut self) -> Value {
        self.evaluate("cotangentCheck()")
    }

    /// The middle of the element, after scrolling to it.
    pub(crate) fn middle(&mut self, selector: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }})()",
            json!(selector)
        );
        let place = self.evaluate(&script);
        (place[0].as_f64().expect("x"), place[1].as_f64().expect("y"))
    }

    /// Moves the mouse, or presses or releases its button (`mouseMoved`, `mousePressed`, …).
    pub(crate) fn mouse(&mut self, kind: &str, (x, y): (f64, f64), shift: bool, clicks: u32) {
        let buttons = u32::from(kind != "mouseReleased" && clicks > 0);
        let button = if clicks > 0 { "left" } else { "none" };
        self.call(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": clicks,
                    "modifiers": if shift { 8 } else { 0 } }),
        );
    }

    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64), shift: bool) {
        self.mouse("mouseMoved", from, shift, 0);
        self.mouse("mousePressed", from, shift, 1);
        for k in 1..=5 {
            let part = f64::from(k) / 5.0;
            self.mouse("mouseMoved", (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1)), shift, 1);
        }
        self.mouse("mouseReleased", to, shift, 1);
    }

    pub(crate) fn click(&mut self, place: (f64, f64), times: u32) {
        self.mouse("mouseMoved", place, false, 0);
        for clicks in 1..=times {
            self.mouse("mousePressed", place, false, clicks);
            self.mouse("mouseReleased", place, false, clicks);
        }
    }

    pub(crate) fn key(&mut self, key: &str) {
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key }));
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    /// With `prefers-color-scheme` and the like set, for `screen` or `print`.
    pub(crate) fn media(&mut self, media: &str, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
