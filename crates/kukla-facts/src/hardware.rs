//! Processors, memory, disks, partitions, mount points, and what the firmware says of the machine.

use kukla_values::Value;

use crate::machine::{Fields, Machine};
use crate::units;

/// Adds what there is of hardware.
pub fn add(machine: &Machine<'_>, facts: &mut Fields) {
    facts.put_fields("processors", processors(machine));
    facts.put_fields("memory", memory(machine));
    facts.put_fields("disks", disks(machine));
    if !machine.names("/sys/block").is_empty() {
        facts.put("partitions", partitions(machine));
    }
    facts.put_fields("mountpoints", mountpoints(machine));
    facts.put_fields("dmi", dmi(machine));
}

fn processors(machine: &Machine<'_>) -> Fields {
    let mut fields = Fields::default();
    let Some(text) = machine.text("/proc/cpuinfo") else { return fields };
    let rows: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim(), value.rsplit(':').next().unwrap_or(value).trim()))
        .collect();
    let all = |key: &str| {
        rows.iter().filter(move |(name, _)| *name == key).map(|(_, value)| *value).collect::<Vec<_>>()
    };
    let models: Vec<Value> = rows
        .iter()
        .filter(|(name, _)| matches!(*name, "model name" | "cpu"))
        .map(|(_, model)| Value::from(*model))
        .collect();
    let mut packages = all("physical id");
    packages.sort_unstable();
    packages.dedup();
    let packages =
        if packages.is_empty() { topology(machine, "physical_package_id").len() } else { packages.len() };
    let count = all("processor").len();
    fields.put("count", count as i64);
    fields.put("physicalcount", packages as i64);
    if !models.is_empty() {
        fields.put("models", models);
    }
    let megahertz = all("cpu MHz").last().or(all("clock").last()).and_then(|text| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    });
    fields.put_if("speed", megahertz.and_then(|megahertz| units::hertz(megahertz * 1_000_000)));
    let isa = machine
        .output(&["uname", "-p"])
        .map(|isa| isa.trim().rsplit('.').next().unwrap_or_default().to_owned());
    fields.put_if("isa", isa);
    // Threads of a core, and cores of a socket.
    let siblings = topology(machine, "thread_siblings_list");
    if !siblings.is_empty() && packages > 0 && count > 0 {
        fields.put("threads", (count / siblings.len()).max(1) as i64);
        fields.put("cores", (siblings.len() / packages).max(1) as i64);
    }
    fields
}

/// The different values that the processors have in a file of their topology.
fn topology(machine: &Machine<'_>, file: &str) -> Vec<String> {
    let is_processor = |name: &str| {
        name.strip_prefix("cpu")
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let directory = "/sys/devices/system/cpu";
    let names = machine.names(directory).into_iter().filter(|name| is_processor(name));
    let mut found: Vec<String> =
        names.filter_map(|name| machine.word(&format!("{directory}/{name}/topology/{file}"))).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn memory(machine: &Machine<'_>) -> Fields {
    let text = machine.text("/proc/meminfo").unwrap_or_default();
    let bytes = |key: &str| -> Option<u64> {
        let row = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        Some(row.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    };
    let part = |total: u64, free: u64| {
        let mut fields = Fields::default();
        let used = total.saturating_sub(free);
        for (name, number) in [("total", total), ("available", free), ("used", used)] {
            fields.put(&format!("{name}_bytes"), number as i64);
            fields.put(name, units::bytes(number));
        }
        fields.put("capacity", units::share(used, total));
        fields
    };
    let mut fields = Fields::default();
    let free =
        bytes("MemAvailable").or_else(|| Some(bytes("MemFree")? + bytes("Buffers")? + bytes("Cached")?));
    if let (Some(total), Some(free)) = (bytes("MemTotal"), free) {
        fields.put_fields("system", part(total, free));
    }
    if let (Some(total @ 1..), Some(free)) = (bytes("SwapTotal"), bytes("SwapFree")) {
        fields.put_fields("swap", part(total, free));
    }
    fields
}

/// A block is always this long here, whatever the device says of itself.
const BLOCK: u64 = 512;

fn size(machine: &Machine<'_>, directory: &str) -> Option<u64> {
    machine.word(&format!("{directory}/size"))?.parse::<u64>().ok().map(|blocks| blocks * BLOCK)
}

fn disks(machine: &Machine<'_>) -> Fields {
    let mut disks = Fields::default();
    for name in machine.names("/sys/block") {
        let directory = format!("/sys/block/{name}");
        if !machine.exists(&format!("{directory}/device")) {
            continue;
        }
        let mut disk = Fields::default();
        let ask = |what: &str| {
            let said = machine.output(&["lsblk", "-dn", "-o", what, &format!("/dev/{name}")])?;
            Some(said.trim().to_owned()).filter(|said| !said.is_empty())
        };
        disk.put_if("model", machine.word(&format!("{directory}/device/model")));
        disk.put_if("vendor", machine.word(&format!("{directory}/device/vendor")));
        if let Some(size) = size(machine, &directory) {
            disk.put("size", units::bytes(size));
            disk.put("size_bytes", size as i64);
        }
        let rotates = machine.word(&format!("{directory}/queue/rotational"));
        disk.put_if("type", rotates.map(|rotates| if rotates == "0" { "ssd" } else { "hdd" }));
        disk.put_if("serial", ask("serial"));
        disk.put_if("wwn", ask("wwn"));
        disks.put_fields(&name, disk);
    }
    disks
}

fn partitions(machine: &Machine<'_>) -> Fields {
    let mounts = machine.text("/proc/self/mounts").unwrap_or_default();
    let labels = machine.output(&["blkid"]).unwrap_or_default();
    let mut partitions = Fields::default();
    let mut add = |device: String, directory: &str, backing: Option<String>| {
        let mut partition = Fields::default();
        let size = size(machine, directory).unwrap_or_default();
        partition.put("size_bytes", size as i64);
        partition.put("size", units::bytes(size));
        partition.put_if("backing_file", backing);
        let row = labels.lines().find_map(|line| line.strip_prefix(device.as_str())?.strip_prefix(':'));
        for (name, key) in [
            ("filesystem", "TYPE"),
            ("uuid", "UUID"),
            ("label", "LABEL"),
            ("partuuid", "PARTUUID"),
            ("partlabel", "PARTLABEL"),
        ] {
            partition.put_if(name, row.and_then(|row| quoted(row, key)));
        }
        let mount = mounts.lines().map(|line| line.split(' ')).find_map(|mut words| {
            (words.next() == Some(device.as_str())).then(|| words.next().unwrap_or_default().to_owned())
        });
        partition.put_if("mount", mount);
        partitions.put_fields(&device, partition);
    };
    for name in machine.names("/sys/block") {
        let directory = format!("/sys/block/{name}");
        let entries = machine.directories(&directory);
        let has = |wanted: &str| entries.iter().any(|entry| entry == wanted);
        if has("device") {
            for part in entries.iter().filter(|entry| entry.contains(&name)) {
                add(format!("/dev/{part}"), &format!("{directory}/{part}"), None);
            }
        } else if has("dm") {
            let device = match machine.word(&format!("{directory}/dm/name")) {
                Some(mapped) => format!("/dev/mapper/{mapped}"),
                None => format!("/dev/{name}"),
            };
            add(device, &directory, None);
        } else if has("loop") {
            add(format!("/dev/{name}"), &directory, machine.word(&format!("{directory}/loop/backing_file")));
        }
    }
    partitions
}

/// The value of ` KEY="value"` in a row.
fn quoted(row: &str, key: &str) -> Option<String> {
    let (_, rest) = row.split_once(&format!(" {key}=\""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

fn mountpoints(machine: &Machine<'_>) -> Fields {
    let mut mountpoints = Fields::default();
    let text = machine.text("/proc/self/mounts").unwrap_or_default();
    let rows = text.lines().map(|line| line.split(' ').map(unescaped).collect::<Vec<_>>());
    let is_shown = |row: &Vec<String>| {
        let hidden = ["/proc", "/sys"].iter().any(|start| row[1].starts_with(start)) && row[2] != "tmpfs";
        !hidden && row[2] != "autofs"
    };
    let rows: Vec<Vec<String>> = rows.filter(|row| row.len() > 3 && is_shown(row)).collect();
    for row in &rows {
        let mut mount = Fields::default();
        let device = if row[0] == "/dev/root" {
            root_device(machine).unwrap_or_else(|| row[0].clone())
        } else {
            row[0].clone()
        };
        mount.put("device", device);
        mount.put("filesystem", row[2].clone());
        mount.put("options", row[3].split(',').map(Value::from).collect::<Vec<_>>());
        let (size, available, used) = space(machine, &row[1]).unwrap_or_default();
        for (name, number) in [("size", size), ("available", available), ("used", used)] {
            mount.put(&format!("{name}_bytes"), number as i64);
            mount.put(name, units::bytes(number));
        }
        let capacity = match (used, available) {
            (_, 0) => "100%".to_owned(),
            (0, _) => "0%".to_owned(),
            _ => units::share(used, used + available),
        };
        mount.put("capacity", capacity);
        mountpoints.put_fields(&row[1], mount);
    }
    mountpoints
}

/// The size of a file system, what is left of it for everyone, and what is used, in bytes.
fn space(machine: &Machine<'_>, path: &str) -> Option<(u64, u64, u64)> {
    let text = machine.output(&["stat", "-f", "-c", "%S %b %f %a", path])?;
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [block, total, free, available] = numbers[..] else { return None };
    Some((block * total, block * available, block * total.saturating_sub(free)))
}

fn root_device(machine: &Machine<'_>) -> Option<String> {
    let line = machine.text("/proc/cmdline")?;
    line.split_whitespace().find_map(|word| word.strip_prefix("root=")).map(str::to_owned)
}

/// Spaces and the like are written as numbers of three octal digits.
fn unescaped(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        match after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(char::from(byte));
                rest = &after[3..];
            }
            None => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out + rest
}

/// The kinds of cases, by the numbers that firmware has for them, from 1.
const CASES: &[&str] = &[
    "Other",
    "",
    "Desktop",
    "Low Profile Desktop",
    "Pizza Box",
    "Mini Tower",
    "Tower",
    "Portable",
    "Laptop",
    "Notebook",
    "Hand Held",
    "Docking Station",
    "All in One",
    "Sub Notebook",
    "Space-Saving",
    "Lunch Box",
    "Main System Chassis",
    "Expansion Chassis",
    "SubChassis",
    "Bus Expansion Chassis",
    "Peripheral Chassis",
    "Storage Chassis",
    "Rack Mount Chassis",
    "Sealed-Case PC",
    "Multi-system",
    "CompactPCI",
    "AdvancedTCA",
    "Blade",
    "Blade Enclosure",
    "Tablet",
    "Convertible",
    "Detachable",
];

/// A text of the firmware about a part of the machine.
pub fn firmware(machine: &Machine<'_>, what: &str) -> Option<String> {
    machine.word(&format!("/sys/class/dmi/id/{what}"))
}

fn dmi(machine: &Machine<'_>) -> Fields {
    let mut dmi = Fields::default();
    let part = |rows: &[(&str, &str)]| {
        let mut fields = Fields::default();
        for (name, file) in rows {
            fields.put_if(name, firmware(machine, file));
        }
        fields
    };
    dmi.put_fields(
        "bios",
        part(&[("release_date", "bios_date"), ("vendor", "bios_vendor"), ("version", "bios_version")]),
    );
    dmi.put_fields(
        "board",
        part(&[
            ("asset_tag", "board_asset_tag"),
            ("manufacturer", "board_vendor"),
            ("product", "board_name"),
            ("serial_number", "board_serial"),
        ]),
    );
    let mut chassis = part(&[("asset_tag", "chassis_asset_tag")]);
    let kind = firmware(machine, "chassis_type").and_then(|number| number.parse::<usize>().ok());
    chassis.put_if(
        "type",
        kind.and_then(|kind| CASES.get(kind.checked_sub(1)?).copied()).filter(|kind| !kind.is_empty()),
    );
    dmi.put_fields("chassis", chassis);
    dmi.put_if("manufacturer", firmware(machine, "sys_vendor"));
    dmi.put_fields(
        "product",
        part(&[("name", "product_name"), ("serial_number", "product_serial"), ("uuid", "product_uuid")]),
    );
    dmi
}
