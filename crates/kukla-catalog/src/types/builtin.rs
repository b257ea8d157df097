//! The resource types that come with Puppet and with its agent packages, as one table.
//!
//! A row has the name variables in the order of their definition, what is unusual about titles and names, and the attributes: properties, then
//! parameters. Rows are sorted by name and attributes within a row too, so that both are found by bisection and nothing is built at
//! start-up; a test checks it.

use std::borrow::Cow;

use super::{NativeType, TitlePattern, Titles};

/// Names as constant strings.
macro_rules! names {
    ($($name:ident)*) => { Cow::Borrowed(&[$(stringify!($name)),*]) };
}

/// The value of an optional part of a row, or the usual one.
macro_rules! or_default {
    ($default:expr;) => {
        $default
    };
    ($default:expr; $value:expr) => {
        $value
    };
}

macro_rules! types {
    ($(
        $name:ident {
            namevars: $($namevar:ident)+;
            $(titles: $titles:expr;)?
            $(isomorphic: $isomorphic:literal;)?
            properties: $($property:ident)*;
            parameters: $($parameter:ident)*;
        }
    )*) => {
        &[$(NativeType {
            name: stringify!($name),
            properties: names!($($property)*),
            parameters: names!($($parameter)*),
            namevars: names!($($namevar)+),
            titles: or_default!(Titles::Whole; $($titles)?),
            isomorphic: or_default!(true; $($isomorphic)?),
            open: false,
        }),*]
    };
}

/// The types that are part of Puppet itself. No module replaces them.
#[rustfmt::skip]
pub(super) static CORE: &[NativeType] = types! {
    component {
        namevars: name;
        properties:;
        parameters: name;
    }
    exec {
        namevars: command;
        isomorphic: false;
        properties: returns;
        parameters: command creates cwd environment group logoutput onlyif path provider refresh refreshonly timeout
            tries try_sleep umask unless user;
    }
    file {
        namevars: path;
        titles: Titles::Path;
        properties: checksum_value content ctime ensure group mode mtime owner selrange selrole seltype seluser target
            type;
        parameters: backup checksum force ignore links max_files path provider purge recurse recurselimit replace
            selinux_ignore_defaults show_diff source source_permissions sourceselect staging_location validate_cmd
            validate_replacement;
    }
    filebucket {
        namevars: name;
        properties:;
        parameters: name path port server;
    }
    group {
        namevars: name;
        properties: attributes ensure gid members;
        parameters: allowdupe attribute_membership auth_membership forcelocal ia_load_module name provider system;
    }
    notify {
        namevars: name;
        properties: message;
        parameters: name withpath;
    }
    package {
        namevars: name provider command;
        titles: Titles::First;
        properties: ensure flavor mark package_settings;
        parameters: adminfile allow_virtual allowcdrom category command configfiles description enable_only
            install_only install_options instance name platform provider reinstall_on_refresh responsefile root source
            status uninstall_options vendor;
    }
    resources {
        namevars: name;
        properties:;
        parameters: name purge unless_system_user unless_uid;
    }
    schedule {
        namevars: name;
        properties:;
        parameters: name period periodmatch range repeat weekday;
    }
    service {
        namevars: name;
        properties: enable ensure flags logonaccount;
        parameters: binary control hasrestart hasstatus logonpassword manifest name path pattern provider restart
            start status stop timeout;
    }
    stage {
        namevars: name;
        properties:;
        parameters: name;
    }
    tidy {
        namevars: path;
        isomorphic: false;
        properties:;
        parameters: age backup matches max_files path recurse rmdirs size type;
    }
    user {
        namevars: name;
        properties: attributes auths comment ensure expiry gid groups home iterations keys loginclass password
            password_max_age password_min_age password_warn_days profiles project roles salt shell uid;
        parameters: allowdupe attribute_membership auth_membership forcelocal ia_load_module key_membership managehome
            membership name profile_membership provider purge_ssh_keys role_membership system;
    }
    whit {
        namevars: name;
        properties:;
        parameters: name;
    }
};

/// The types of the `*_core` modules that agent packages carry. A module of the same name on the module path wins.
#[rustfmt::skip]
pub(super) static BUNDLED: &[NativeType] = types! {
    augeas {
        namevars: name;
        properties: returns;
        parameters: changes context force incl lens load_path name onlyif provider root show_diff type_check;
    }
    computer {
        namevars: name;
        properties: en_address ensure ip_address;
        parameters: name provider realname;
    }
    cron {
        namevars: name;
        properties: command ensure environment hour minute month monthday special target user weekday;
        parameters: name provider;
    }
    host {
        namevars: name;
        properties: comment ensure host_aliases ip target;
        parameters: name provider;
    }
    interface {
        namevars: name;
        properties: access_vlan allowed_trunk_vlans description duplex encapsulation ensure etherchannel ipaddress
            mode native_vlan speed;
        parameters: device_url name provider;
    }
    k5login {
        namevars: path;
        properties: ensure mode principals selrange selrole seltype seluser;
        parameters: path provider;
    }
    macauthorization {
        namevars: name;
        properties: allow_root auth_class auth_type authenticate_user comment ensure group k_of_n mechanisms rule
            session_owner shared timeout tries;
        parameters: name provider;
    }
    mailalias {
        namevars: name;
        properties: ensure file recipient target;
        parameters: name provider;
    }
    maillist {
        namevars: name;
        properties: ensure;
        parameters: admin description mailserver name password provider webserver;
    }
    mcx {
        namevars: name;
        properties: content ensure;
        parameters: ds_name ds_type name provider;
    }
    mount {
        namevars: name;
        properties: atboot blockdevice device dump ensure fstype options pass target;
        parameters: name provider remounts;
    }
    nagios_command {
        namevars: command_name;
        properties: command_line ensure poller_tag target use;
        parameters: command_name group mode owner provider;
    }
    nagios_contact {
        namevars: contact_name;
        properties: address1 address2 address3 address4 address5 address6 alias can_submit_commands contactgroups
            email ensure host_notification_commands host_notification_options host_notification_period
            host_notifications_enabled pager register retain_nonstatus_information retain_status_information
            service_notification_commands service_notification_options service_notification_period
            service_notifications_enabled target use;
        parameters: contact_name group mode owner provider;
    }
    nagios_contactgroup {
        namevars: contactgroup_name;
        properties: alias contactgroup_members ensure members register target use;
        parameters: contactgroup_name group mode owner provider;
    }
    nagios_host {
        namevars: host_name;
        properties: action_url active_checks_enabled address alias business_impact check_command check_freshness
            check_interval check_period contact_groups contacts display_name ensure event_handler
            event_handler_enabled failure_prediction_enabled first_notification_delay flap_detection_enabled
            flap_detection_options freshness_threshold high_flap_threshold hostgroups icon_image icon_image_alt
            initial_state low_flap_threshold max_check_attempts notes notes_url notification_interval
            notification_options notification_period notifications_enabled obsess_over_host parents
            passive_checks_enabled poller_tag process_perf_data realm register retain_nonstatus_information
            retain_status_information retry_interval stalking_options statusmap_image target use vrml_image;
        parameters: group host_name mode owner provider;
    }
    nagios_hostdependency {
        namevars: _naginator_name;
        properties: dependency_period dependent_host_name dependent_hostgroup_name ensure execution_failure_criteria
            host_name hostgroup_name inherits_parent notification_failure_criteria register target use;
        parameters: _naginator_name group mode owner provider;
    }
    nagios_hostescalation {
        namevars: _naginator_name;
        properties: contact_groups contacts ensure escalation_options escalation_period first_notification host_name
            hostgroup_name last_notification notification_interval register target use;
        parameters: _naginator_name group mode owner provider;
    }
    nagios_hostextinfo {
        namevars: host_name;
        properties: ensure icon_image icon_image_alt notes notes_url register statusmap_image target use vrml_image;
        parameters: group host_name mode owner provider;
    }
    nagios_hostgroup {
        namevars: hostgroup_name;
        properties: action_url alias ensure hostgroup_members members notes notes_url realm register target use;
        parameters: group hostgroup_name mode owner provider;
    }
    nagios_service {
        namevars: _naginator_name;
        properties: action_url active_checks_enabled business_impact check_command check_freshness check_interval
            check_period contact_groups contacts display_name ensure event_handler event_handler_enabled
            failure_prediction_enabled first_notification_delay flap_detection_enabled flap_detection_options
            freshness_threshold high_flap_threshold host_name hostgroup_name icon_image icon_image_alt initial_state
            is_volatile low_flap_threshold max_check_attempts normal_check_interval notes notes_url
            notification_interval notification_options notification_period notifications_enabled obsess_over_service
            parallelize_check passive_checks_enabled poller_tag process_perf_data register
            retain_nonstatus_information retain_status_information retry_check_interval retry_interval
            service_description servicegroups stalking_options target use;
        parameters: _naginator_name group mode owner provider;
    }
    nagios_servicedependency {
        namevars: _naginator_name;
        properties: dependency_period dependent_host_name dependent_hostgroup_name dependent_service_description
            ensure execution_failure_criteria host_name hostgroup_name inherits_parent notification_failure_criteria
            register service_description target use;
        parameters: _naginator_name group mode owner provider;
    }
    nagios_serviceescalation {
        namevars: _naginator_name;
        properties: contact_groups contacts ensure escalation_options escalation_period first_notification host_name
            hostgroup_name last_notification notification_interval register service_description servicegroup_name
            target use;
        parameters: _naginator_name group mode owner provider;
    }
    nagios_serviceextinfo {
        namevars: _naginator_name;
        properties: action_url ensure host_name icon_image icon_image_alt notes notes_url register service_description
            target use;
        parameters: _naginator_name group mode owner provider;
    }
    nagios_servicegroup {
        namevars: servicegroup_name;
        properties: action_url alias ensure members notes notes_url register servicegroup_members target use;
        parameters: group mode owner provider servicegroup_name;
    }
    nagios_timeperiod {
        namevars: timeperiod_name;
        properties: alias ensure exclude friday monday register saturday sunday target thursday tuesday use wednesday;
        parameters: group mode owner provider timeperiod_name;
    }
    router {
        namevars: url;
        properties:;
        parameters: url;
    }
    scheduled_task {
        namevars: name;
        properties: arguments command compatibility description enabled ensure trigger user working_dir;
        parameters: name password provider;
    }
    selboolean {
        namevars: name;
        properties: value;
        parameters: name persistent provider;
    }
    selmodule {
        namevars: name;
        properties: ensure syncversion;
        parameters: name provider selmoduledir selmodulepath;
    }
    ssh_authorized_key {
        namevars: name;
        properties: ensure key options target type user;
        parameters: drop_privileges name provider;
    }
    sshkey {
        namevars: type name;
        titles: Titles::Patterns(Cow::Borrowed(&[
            TitlePattern::of(r"^(.*?)@(.*)$", &["name", "type"]),
            TitlePattern::of(r"^([^@]+)$", &["name"]),
        ]));
        properties: ensure host_aliases key target;
        parameters: name provider type;
    }
    vlan {
        namevars: name;
        properties: description ensure;
        parameters: device_url name provider;
    }
    yumrepo {
        namevars: name;
        properties: assumeyes bandwidth baseurl cost deltarpm_metadata_percentage deltarpm_percentage descr enabled
            enablegroups ensure exclude failovermethod gpgcakey gpgcheck gpgkey http_caching include includepkgs
            keepalive metadata_expire metalink minrate mirrorlist mirrorlist_expire module_hotfixes password
            payload_gpgcheck priority protect proxy proxy_password proxy_username repo_gpgcheck retries s3_enabled
            skip_if_unavailable sslcacert sslclientcert sslclientkey sslverify throttle timeout username;
        parameters: name provider target;
    }
    zfs {
        namevars: name;
        properties: aclinherit aclmode acltype atime canmount checksum compression copies dedup defaultuserquota
            devices ensure exec logbias mountpoint nbmand overlay primarycache quota readonly recordsize refquota
            refreservation relatime reservation secondarycache setuid shareiscsi sharenfs sharesmb snapdir sync
            version volsize vscan xattr zoned;
        parameters: name provider;
    }
    zone {
        namevars: name;
        properties: autoboot dataset ensure inherit ip iptype path pool shares;
        parameters: clone create_args id install_args name provider realhostname sysidcfg;
    }
    zpool {
        namevars: pool;
        properties: ashift autoexpand cache disk ensure failmode log mirror raidz spare;
        parameters: pool provider raid_parity;
    }
};
