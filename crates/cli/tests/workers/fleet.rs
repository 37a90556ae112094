//! A fleet: NATS, workers, and a target.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::json;
use crate::nats;
use crate::support::http::HttpServer;
use crate::support::{Bench, Process, Told, eventually};

/// What workers and controllers meet on.
pub enum Servers {
    One(nats::Server),
    Three(nats::Cluster),
}

pub struct Fleet {
    pub bench: Bench,
    /// Each with the folder where it unpacks plans.
    pub workers: Vec<(Process, PathBuf)>,
    pub target: HttpServer,
    pub servers: Servers,
}

impl Fleet {
    pub fn start(names: &[&str]) -> Self {
        Self::before(names, HttpServer::hello())
    }

    /// Workers before a target of the test's own.
    pub fn before(names: &[&str], target: HttpServer) -> Self {
        let binary = nats::binaries().remove(0);
        let servers = Servers::One(nats::Server::start(&binary));
        Self::over(servers, names, target)
    }

    /// Workers that meet on a cluster of three.
    pub fn on_three(binary: &Path, names: &[&str]) -> Self {
        let servers = Servers::Three(nats::Cluster::start(binary));
        Self::over(servers, names, HttpServer::hello())
    }

    fn over(servers: Servers, names: &[&str], target: HttpServer) -> Self {
        let mut fleet = Self {
            bench: Bench::new(),
            workers: Vec::new(),
            target,
            servers,
        };
        for name in names {
            fleet.worker(name, &[]);
        }
        fleet.wait_for(names.len());
        fleet
    }

    pub fn worker(&mut self, name: &str, more: &[&str]) {
        self.worker_with(name, more, &[]);
    }

    /// A worker with variables of the environment.
    pub fn worker_with(&mut self, name: &str, more: &[&str], env: &[(&str, &Path)]) {
        let folder = self.bench.path(&format!("folder-{name}"));
        std::fs::create_dir(&folder).unwrap();
        let folder_name = folder.display().to_string();
        let args = [&["worker", "--name", name, "--folder", &folder_name], more].concat();
        let mut command = self.command(&args);
        command.envs(env.iter().copied());
        let process = self.bench.start(command);
        self.workers.push((process, folder));
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bench.command(args);
        command.env("PLIMSOLL_NATS", self.urls().join(","));
        command
    }

    pub fn urls(&self) -> Vec<String> {
        match &self.servers {
            Servers::One(server) => vec![server.url()],
            Servers::Three(cluster) => cluster.urls(),
        }
    }

    pub fn listed(&self) -> Value {
        let told = self.bench.start(self.command(&["workers", "--json"])).end();
        let listed = serde_json::from_str(&told.out).unwrap_or_else(|_| panic!("{told:?}"));
        let schema = include_str!("../../../../schema/workers.schema.json");
        assert_fits(schema, &listed);
        listed
    }

    pub fn wait_for(&self, workers: usize) {
        eventually("all workers answer", || {
            self.listed()["workers"].as_array().unwrap().len() == workers
        });
    }

    pub fn plan(&self, load: &str) -> String {
        let url = self.target.url();
        format!("target: {url}\n{load}\nsteps:\n  - get: /hello\n")
    }

    pub fn begin(&self, plan: &str, args: &[&str]) -> Process {
        self.begin_file("plan.yaml", plan, args)
    }

    /// The same with a plan of another name.
    pub fn begin_file(&self, name: &str, plan: &str, args: &[&str]) -> Process {
        self.bench.write(name, plan);
        let fixed = ["run", name, "--quiet", "--summary-json", "summary.json"];
        let args = [&fixed, args].concat();
        self.bench.start(self.command(&args))
    }

    /// Takes the last run up again, to its end.
    pub fn resume(&self, more: &[&str]) -> Told {
        let fixed = ["run", "--resume", "last", "--quiet"];
        let args = [&fixed[..], &["--summary-json", "summary.json"], more].concat();
        self.bench.start(self.command(&args)).end()
    }

    /// Ends the workers as Ctrl-C does.
    pub fn end(self) {
        for (worker, folder) in self.workers {
            worker.signal("INT");
            let told = worker.end();
            assert_eq!(told.code, Some(0), "{told:?}");
            let left = std::fs::read_dir(folder).unwrap().count();
            assert_eq!(left, 0, "nothing of the plan stays");
        }
    }
}

/// A JSON document is what its schema says.
pub fn assert_fits(schema: &str, document: &Value) {
    json::assert_fits(&json::json(schema), document);
}
