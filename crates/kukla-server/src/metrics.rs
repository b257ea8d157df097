//! Figures: how many requests of which kind, how long they took, and what the process uses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::ca::certificate::Certificate;
use crate::ca::crl::Crl;
use crate::pools::{Pool, PoolFigures};
use crate::server::Server;

/// The counters since the server started.
#[derive(Debug, Default)]
pub struct Metrics {
    routes: Mutex<BTreeMap<(&'static str, u16), Route>>,
    catalogs: Histogram,
    failed: AtomicU64,
    refused: AtomicU64,
    tls_failures: AtomicU64,
    closed_connections: AtomicU64,
    deployments: AtomicU64,
    failed_deployments: AtomicU64,
    /// Connections that are open.
    pub connections: AtomicU64,
    /// Catalogs that are being compiled or wait for it.
    pub queued: AtomicU64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Route {
    count: u64,
    time: Duration,
    bytes: u64,
}

/// How often something took at most so long.
#[derive(Debug, Default)]
struct Histogram {
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    microseconds: AtomicU64,
}

/// In seconds.
const BOUNDS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0];

impl Metrics {
    /// A request was answered.
    pub fn answered(&self, route: &'static str, status: u16, time: Duration, bytes: u64) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = routes.entry((route, status)).or_default();
        entry.count += 1;
        entry.time += time;
        entry.bytes += bytes;
    }

    /// A catalog was compiled, or not.
    pub fn compiled(&self, seconds: f64, is_good: bool) {
        if !is_good {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.catalogs.buckets[at].fetch_add(1, Ordering::Relaxed);
        }
        self.catalogs.count.fetch_add(1, Ordering::Relaxed);
        self.catalogs.microseconds.fetch_add((seconds * 1e6) as u64, Ordering::Relaxed);
    }

    /// A request was sent away because there were too many.
    pub fn sent_away(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// The webhook has deployed, or could not.
    pub fn deployed(&self, is_good: bool) {
        let counter = if is_good { &self.deployments } else { &self.failed_deployments };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection did not become secure.
    pub fn tls_failed(&self) {
        self.tls_failures.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection was closed for a newer one of the same client.
    pub fn closed_for_others(&self) {
        self.closed_connections.fetch_add(1, Ordering::Relaxed);
    }

    /// As Prometheus reads it.
    fn to_prometheus(&self, started: Duration) -> String {
        let mut out = String::new();
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut family = |name: &str, kind: &str, help: &str, value: &dyn Fn(&Route) -> String| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for ((route, status), entry) in &routes {
                let _ = writeln!(out, "{name}{{route=\"{route}\",status=\"{status}\"}} {}", value(entry));
            }
        };
        family("kukla_requests_total", "counter", "Requests that were answered.", &|entry| {
            entry.count.to_string()
        });
        family("kukla_request_seconds_total", "counter", "Time that answering took.", &|entry| {
            entry.time.as_secs_f64().to_string()
        });
        family(
            "kukla_response_bytes_total",
            "counter",
            "Bytes that were answered, before they were packed.",
            &|entry| entry.bytes.to_string(),
        );
        let _ = writeln!(
            out,
            "# HELP kukla_catalog_seconds Time that compiling a catalog took.\n# TYPE kukla_catalog_seconds histogram"
        );
        let mut so_far = 0;
        for (bound, bucket) in BOUNDS.iter().zip(&self.catalogs.buckets) {
            so_far += bucket.load(Ordering::Relaxed);
            let _ = writeln!(out, "kukla_catalog_seconds_bucket{{le=\"{bound}\"}} {so_far}");
        }
        let count = self.catalogs.count.load(Ordering::Relaxed);
        let _ = writeln!(out, "kukla_catalog_seconds_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(
            out,
            "kukla_catalog_seconds_sum {}",
            self.catalogs.microseconds.load(Ordering::Relaxed) as f64 / 1e6
        );
        let _ = writeln!(out, "kukla_catalog_seconds_count {count}");
        for (name, kind, help, value) in [
            (
                "kukla_catalogs_failed_total",
                "counter",
                "Catalogs that could not be compiled.",
                self.failed.load(Ordering::Relaxed),
            ),
            (
                "kukla_requests_sent_away_total",
                "counter",
                "Requests that were rejected with Retry-After.",
                self.refused.load(Ordering::Relaxed),
            ),
            (
                "kukla_tls_failures_total",
                "counter",
                "Connections whose TLS handshake failed.",
                self.tls_failures.load(Ordering::Relaxed),
            ),
            (
                "kukla_connections_closed_total",
                "counter",
                "Connections that were closed for newer ones of the same client.",
                self.closed_connections.load(Ordering::Relaxed),
            ),
            (
                "kukla_connections",
                "gauge",
                "Connections that are open.",
                self.connections.load(Ordering::Relaxed),
            ),
            (
                "kukla_catalogs_queued",
                "gauge",
                "Catalogs that are being compiled or wait for it.",
                self.queued.load(Ordering::Relaxed),
            ),
            ("process_resident_memory_bytes", "gauge", "Memory in use.", resident().unwrap_or(0)),
            ("kukla_uptime_seconds", "counter", "Time since the server began.", started.as_secs()),
        ] {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        out
    }

    /// As puppetserver tells it.
    pub fn to_json(&self) -> Value {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut by_route = BTreeMap::<&str, Route>::new();
        for ((route, _), entry) in routes.iter() {
            for name in [*route, "total"] {
                let sum = by_route.entry(name).or_default();
                sum.count += entry.count;
                sum.time += entry.time;
            }
        }
        let rows = by_route.iter().map(|(name, entry)| {
            let aggregate = u64::try_from(entry.time.as_millis()).unwrap_or(u64::MAX);
            json!({"route-id": name, "count": entry.count, "mean": aggregate / entry.count.max(1), "aggregate": aggregate})
        });
        rows.collect()
    }
}

impl Server {
    /// All figures, as Prometheus reads them.
    pub fn to_prometheus(&self) -> String {
        let mut out = self.metrics.to_prometheus(self.started.elapsed());
        let mut family = |name: &str, kind: &str, help: &str, rows: Vec<(String, String)>| {
            if rows.is_empty() {
                return;
            }
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in rows {
                let _ = writeln!(out, "{name}{labels} {value}");
            }
        };
        let pools = |value: fn(PoolFigures) -> u64| -> Vec<(String, String)> {
            let row = |pool: &Pool| {
                (format!("{{pool=\"{}\"}}", pool.name()), value(self.pools.figures(*pool)).to_string())
            };
            Pool::ALL.iter().map(row).collect()
        };
        family("kukla_pool_size", "gauge", "Threads of a pool.", pools(|pool| pool.size as u64));
        family(
            "kukla_pool_running",
            "gauge",
            "Handlers that are running.",
            pools(|pool| pool.running as u64),
        );
        family("kukla_pool_waiting", "gauge", "Requests that wait for a thread.", pools(|pool| pool.waiting));
        family(
            "kukla_pool_refused_total",
            "counter",
            "Requests that waited for a thread for too long.",
            pools(|pool| pool.refused),
        );
        let single = |value: String| vec![(String::new(), value)];
        family(
            "kukla_request_bytes",
            "gauge",
            "Bytes of requests that are being received or answered.",
            single(self.room.occupied().to_string()),
        );
        if self.settings.webhook.is_some() {
            let counts = [("true", &self.metrics.deployments), ("false", &self.metrics.failed_deployments)];
            let row = |(success, counter): (&str, &AtomicU64)| {
                (format!("{{success=\"{success}\"}}"), counter.load(Ordering::Relaxed).to_string())
            };
            family(
                "kukla_deployments_total",
                "counter",
                "Deployments by the webhook.",
                counts.map(row).to_vec(),
            );
            let waiting = single(self.deployments.waiting().to_string());
            family("kukla_deployments_waiting", "gauge", "Branches that wait for their deployment.", waiting);
        }
        if let Some(store) = &self.store {
            let up = u64::from(store.answers()).to_string();
            family("kukla_store_up", "gauge", "Whether the store answers.", single(up));
            let failures = single(store.failures().to_string());
            family("kukla_store_failures_total", "counter", "Calls that the store did not answer.", failures);
        }
        let expiries = self.expiries();
        let row = |(name, expiry): &(&str, SystemTime)| {
            (format!("{{of=\"{name}\"}}"), unix_seconds(*expiry).to_string())
        };
        family(
            "kukla_expiry_timestamp_seconds",
            "gauge",
            "When a certificate or revocation list expires.",
            expiries.iter().map(row).collect(),
        );
        let changed = crate::ca::changed(&self.settings.tls.crl).map(unix_seconds);
        family(
            "kukla_crl_changed_timestamp_seconds",
            "gauge",
            "When the file of revocation lists was changed.",
            changed.map(|time| single(time.to_string())).unwrap_or_default(),
        );
        out
    }

    /// When the server's certificate, its authorities and the revocation lists expire: of several the first.
    pub fn expiries(&self) -> Vec<(&'static str, SystemTime)> {
        let earliest = |path: &std::path::Path| {
            let certificates = Certificate::all_from_pem(&std::fs::read(path).ok()?).ok()?;
            certificates.iter().map(Certificate::not_after).min()
        };
        let lists = self.revoked.now();
        let files = &self.settings.tls;
        let all = [
            ("certificate", earliest(&files.certificate).filter(|_| self.settings.listen.is_some())),
            ("authority", earliest(&files.authorities)),
            ("crl", lists.lists.iter().filter_map(Crl::next_update).min()),
        ];
        all.into_iter().filter_map(|(name, expiry)| Some((name, expiry?))).collect()
    }
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// How much memory the process has.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
