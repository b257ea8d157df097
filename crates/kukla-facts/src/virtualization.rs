//! Whether the machine is a real one.

use crate::hardware::firmware;
use crate::machine::{Fields, Machine};

/// Words in the product's name that betray what runs the machine.
const PRODUCTS: &[(&str, &str)] = &[
    ("VMware", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("Parallels", "parallels"),
    ("KVM", "kvm"),
    ("Virtual Machine", "hyperv"),
    ("RHEV Hypervisor", "rhev"),
    ("oVirt Node", "ovirt"),
    ("HVM domU", "xenhvm"),
    ("Bochs", "bochs"),
    ("OpenBSD", "vmm"),
    ("BHYVE", "bhyve"),
];

/// Words in the list of devices.
const DEVICES: &[(&str, &str)] = &[
    ("virtualbox", "virtualbox"),
    ("xensource", "xenhvm"),
    ("microsoft corporation hyper-v", "hyperv"),
    ("class 8007: google, inc", "gce"),
    ("vmware", "vmware"),
    ("1ab8:", "parallels"),
    ("parallels", "parallels"),
    ("virtio", "kvm"),
];

/// Hosts of virtual machines are machines themselves.
const REAL: &[&str] =
    &["physical", "xen0", "vmware_server", "vmware_workstation", "openvzhn", "vserver_host"];

/// Adds `virtual`, `is_virtual` and `hypervisors`.
pub fn add(machine: &Machine<'_>, facts: &mut Fields) {
    let container = container(machine);
    let mut hypervisors = Fields::default();
    let platform = match container {
        Some((name, details)) => {
            hypervisors.put(name, details);
            name.to_owned()
        }
        None => platform(machine),
    };
    facts.put("is_virtual", !REAL.contains(&platform.as_str()));
    facts.put("virtual", platform);
    facts.put_fields("hypervisors", hypervisors);
}

/// The container that this is, and what it is called.
fn container(machine: &Machine<'_>) -> Option<(&'static str, Fields)> {
    let groups = machine.text("/proc/1/cgroup").unwrap_or_default();
    let environment = machine.text("/proc/1/environ").unwrap_or_default();
    let mut details = Fields::default();
    if let Some((_, id)) = groups.split_once("docker/") {
        details.put("id", id.lines().next().unwrap_or_default());
        return Some(("docker", details));
    }
    let named = groups.lines().find_map(|line| line.strip_prefix("/lxc/"));
    if named.is_some() || environment.contains("container=lxc") {
        details.put_if("name", named.map(|rest| rest.split('/').next().unwrap_or_default()));
        return Some(("lxc", details));
    }
    if environment.contains("container=systemd-nspawn") {
        details.put_if("id", machine.word("/etc/machine-id"));
        return Some(("systemd_nspawn", details));
    }
    None
}

fn platform(machine: &Machine<'_>) -> String {
    let vendor = firmware(machine, "bios_vendor").unwrap_or_default();
    if vendor.contains("Google") {
        return "gce".to_owned();
    }
    let asked = || what_virt_what_says(&machine.output(&["virt-what"])?);
    let openvz = || {
        machine
            .exists("/proc/vz")
            .then(|| if machine.exists("/proc/bc") { "openvzhn" } else { "openvzve" }.to_owned())
    };
    let xen = || {
        let guest = machine.exists("/proc/xen") || machine.exists("/dev/xvda1");
        if machine.exists("/dev/xen/evtchn") {
            Some("xen0".to_owned())
        } else {
            guest.then(|| "xenu".to_owned())
        }
    };
    let product = || {
        if vendor.contains("Amazon EC2") {
            return Some("kvm".to_owned());
        }
        let product = firmware(machine, "product_name")?;
        PRODUCTS.iter().find(|(word, _)| product.contains(word)).map(|(_, name)| (*name).to_owned())
    };
    let devices = || {
        let list = machine.output(&["lspci"])?.to_lowercase();
        let name = |line: &str| {
            DEVICES.iter().find(|(word, _)| line.contains(word)).map(|(_, name)| (*name).to_owned())
        };
        list.lines().find_map(name)
    };
    asked()
        .or_else(openvz)
        .or_else(xen)
        .or_else(product)
        .or_else(devices)
        .unwrap_or_else(|| "physical".to_owned())
}

fn what_virt_what_says(output: &str) -> Option<String> {
    let lines: Vec<&str> = output.lines().collect();
    if lines.contains(&"xen") {
        let kinds = [("xen-domU", "xenu"), ("xen-hvm", "xenhvm"), ("xen-dom0", "xen0")];
        return kinds.iter().find(|(line, _)| lines.contains(line)).map(|(_, name)| (*name).to_owned());
    }
    match lines.iter().find(|line| **line != "redhat")? {
        line if line.contains("ibm_systemz") => Some("zlinux".to_owned()),
        line => Some((*line).to_owned()),
    }
}
