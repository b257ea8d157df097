//! Processors, memory, disks and virtualization of a fact set: those of a small virtual machine.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kukla_values::Value;

use super::FactSet;
use super::seed::Seed;
use super::table::Kind;
use crate::machine::Fields;
use crate::{ssh, units};

const GIB: u64 = 1 << 30;

/// Adds the facts about hardware.
pub fn add(set: &FactSet, node: &str, facts: &mut Fields) {
    let seed = Seed(node);
    processors(set, &seed, facts);
    memory(set, &seed, facts);
    storage(set, &seed, facts);
    virtualization(set, &seed, facts);
    keys(set, &seed, facts);
}

fn processors(set: &FactSet, seed: &Seed<'_>, facts: &mut Fields) {
    let kind = set.system.kind;
    let count = [1i64, 2, 4, 8][seed.below("processors", 4) as usize];
    let model = match set.architecture {
        "x86_64" | "i86pc" => "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz",
        "aarch64" if kind == Kind::Macos => "Apple M1",
        "aarch64" => "Neoverse-N1",
        "sun4v" => "SPARC-M7",
        _ => "PowerPC_POWER9",
    };
    let models = if kind == Kind::Windows { 1 } else { count as usize };
    let isa = set.isa();
    let mut fields = Fields::default();
    fields.put("count", count);
    fields.put("models", vec![Value::from(model); models]);
    fields.put("isa", isa);
    if matches!(kind, Kind::Linux | Kind::Windows | Kind::Macos) {
        fields.put("cores", count);
        fields.put("threads", 1i64);
    }
    if kind != Kind::Bsd {
        fields.put("physicalcount", 1i64);
    }
    if kind != Kind::Windows && set.architecture != "aarch64" {
        fields.put("speed", "2.10 GHz");
    }
    if kind == Kind::Linux {
        let levels: &[&str] = match isa {
            "x86_64" => &["x86_64", "x86_64-v1", "x86_64-v2", "x86_64-v3"],
            other => &[other],
        };
        fields.put("extensions", levels.iter().map(|level| Value::from(*level)).collect::<Vec<_>>());
    }
    facts.put("processors", fields);
}

/// A total, and the part of it that is used.
struct Usage {
    total: u64,
    used: u64,
}

impl Usage {
    fn fields(&self, total: &str) -> Fields {
        let mut fields = Fields::default();
        let available = self.total - self.used;
        for (name, bytes) in [(total, self.total), ("available", available), ("used", self.used)] {
            fields.put(name, if bytes == 0 { "0 bytes".to_owned() } else { units::bytes(bytes) });
            fields.put(&format!("{name}_bytes"), bytes as i64);
        }
        let share = if self.used == 0 { "0%".to_owned() } else { units::share(self.used, self.total) };
        fields.put("capacity", share);
        fields
    }
}

fn memory(set: &FactSet, seed: &Seed<'_>, facts: &mut Fields) {
    // The kernel keeps a part for itself.
    let total = ([2, 4, 8, 16][seed.below("memory", 4) as usize] * GIB / 100 * 97) & !0xfff;
    let used = (total / 1000 * (150 + seed.below("memory used", 400))) & !0xfff;
    let mut memory = Fields::default();
    memory.put("system", Usage { total, used }.fields("total"));
    if set.system.kind != Kind::Windows {
        let mut swap = Usage { total: 2 * GIB, used: 0 }.fields("total");
        if matches!(set.system.kind, Kind::Bsd | Kind::Macos) {
            swap.put("encrypted", set.system.kind == Kind::Macos);
        }
        memory.put("swap", swap);
    }
    facts.put("memory", memory);
}

fn storage(set: &FactSet, seed: &Seed<'_>, facts: &mut Fields) {
    let kind = set.system.kind;
    let size = [20, 40, 80, 100][seed.below("disk", 4) as usize] * GIB;
    let used = (2 * GIB + seed.below("disk used", 6 * GIB)) & !0xfff;
    let (device, filesystem, options): (&str, &str, &[&str]) = match (kind, set.system.os().0) {
        (Kind::Windows, _) => return,
        (Kind::Linux, _) => ("/dev/vda1", set.system.value("fs").unwrap_or("ext4"), &["rw", "relatime"]),
        (Kind::Bsd, "OpenBSD") => ("/dev/sd0a", "ffs", &["local"]),
        (Kind::Bsd, _) => ("zroot/ROOT/default", "zfs", &["nodev", "local", "rootfs", "noatime"]),
        (Kind::Macos, _) => ("/dev/disk3s5s1", "apfs", &["readonly", "local", "root", "journaled"]),
        (Kind::Solaris, _) => ("rpool/ROOT/solaris", "zfs", &["dev=4bd0002"]),
        (Kind::Aix, _) => ("/dev/hd4", "jfs2", &["rw", "log=/dev/hd8"]),
    };
    let mut mountpoints = Fields::default();
    let mut mount = |path: &str, device: &str, filesystem: &str, options: &[&str], usage: &Usage| {
        let mut fields = usage.fields("size");
        fields.put("device", device);
        fields.put("filesystem", filesystem);
        fields.put("options", options.iter().map(|option| Value::from(*option)).collect::<Vec<_>>());
        mountpoints.put(path, fields);
    };
    mount("/", device, filesystem, options, &Usage { total: size, used });
    if kind == Kind::Linux {
        let free = |total| Usage { total, used: 0 };
        mount("/dev/shm", "tmpfs", "tmpfs", &["rw", "nosuid", "nodev"], &free(GIB));
        mount("/run", "tmpfs", "tmpfs", &["rw", "nosuid", "nodev", "mode=755"], &free((GIB / 5) & !0xfff));
        let mut disk = Fields::default();
        disk.put("size", units::bytes(size));
        disk.put("size_bytes", size as i64);
        disk.put("vendor", "0x1af4");
        disk.put("type", "hdd");
        let mut disks = Fields::default();
        disks.put("vda", disk);
        facts.put("disks", disks);
        let mut partition = Fields::default();
        let own = size - (1 << 20);
        partition.put("filesystem", filesystem);
        partition.put("mount", "/");
        partition.put("size", units::bytes(own));
        partition.put("size_bytes", own as i64);
        partition.put("uuid", seed.uuid("partition"));
        partition.put("partuuid", format!("{}-01", seed.hex("table", 8)));
        let mut partitions = Fields::default();
        partitions.put(device, partition);
        facts.put("partitions", partitions);
        facts.put_if("filesystems", set.system.value("kinds"));
    }
    if kind == Kind::Macos {
        facts.put("filesystems", "apfs,autofs,devfs,hfs");
    }
    facts.put("mountpoints", mountpoints);
}

fn virtualization(set: &FactSet, seed: &Seed<'_>, facts: &mut Fields) {
    let (mut dmi, mut product) = (Fields::default(), Fields::default());
    let is_virtual = !matches!(set.system.kind, Kind::Macos | Kind::Aix) && set.architecture != "sun4v";
    facts.put("is_virtual", is_virtual);
    facts.put("virtual", if is_virtual { "kvm" } else { "physical" });
    match set.system.kind {
        Kind::Macos => {
            product.put("name", if set.architecture == "aarch64" { "Macmini9,1" } else { "Macmini8,1" })
        }
        Kind::Aix => product.put("name", "IBM,9009-22A"),
        Kind::Solaris if !is_virtual => {
            dmi.put("manufacturer", "Oracle Corporation");
            product.put("name", "SPARC T7-1");
        }
        kind => {
            dmi.put("manufacturer", "QEMU");
            product.put("name", "Standard PC (Q35 + ICH9, 2009)");
            product.put("uuid", seed.uuid("machine"));
            if matches!(kind, Kind::Linux | Kind::Bsd) {
                let mut bios = Fields::default();
                bios.put("vendor", "SeaBIOS");
                bios.put("version", "1.16.2-1");
                bios.put("release_date", "04/01/2014");
                dmi.put("bios", bios);
            }
            if kind == Kind::Linux {
                let mut chassis = Fields::default();
                chassis.put("type", "Other");
                dmi.put("chassis", chassis);
            }
        }
    }
    dmi.put("product", product);
    facts.put("dmi", dmi);
    if is_virtual && matches!(set.system.kind, Kind::Linux | Kind::Windows) {
        let mut hypervisors = Fields::default();
        hypervisors.put("kvm", Fields::default());
        facts.put("hypervisors", hypervisors);
    }
}

/// Adds keys of the right form; nobody has the private ones.
fn keys(set: &FactSet, seed: &Seed<'_>, facts: &mut Fields) {
    if set.system.kind == Kind::Windows {
        return;
    }
    let part = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    let modulus = [&[0, 0x80 | seed.bytes("rsa", 1)[0]], &seed.bytes("rsa modulus", 383)[..]].concat();
    let point = [&[4], &seed.bytes("ecdsa", 64)[..]].concat();
    let keys = [
        ("rsa", "ssh-rsa", vec![vec![1, 0, 1], modulus]),
        ("ecdsa", "ecdsa-sha2-nistp256", vec![b"nistp256".to_vec(), point]),
        ("ed25519", "ssh-ed25519", vec![seed.bytes("ed25519", 32)]),
    ];
    let keys = keys.into_iter().filter_map(|(name, kind, parts)| {
        let blob: Vec<u8> =
            [part(kind.as_bytes())].into_iter().chain(parts.iter().map(|own| part(own))).flatten().collect();
        ssh::Key::new(name, kind, &STANDARD.encode(blob))
    });
    ssh::put(facts, keys.collect());
}
