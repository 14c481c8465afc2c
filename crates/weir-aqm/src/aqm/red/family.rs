//! The parameters that RED shares with the AQMs which contain a RED.

/// Declares the parameters of an AQM of the RED family: RED's own, and those that only this AQM has, each list
/// at its place. A comment that differs from AQM to AQM stands in the list of its key. With `red`, the
/// parameters also give those of the RED within, which takes the keys named there as well.
///
/// Adaptive RED and OP-RED declare their own: they set the thresholds and the weight by the link, so the
/// defaults and sources of those keys are others.
///
/// serde's `flatten` would lose the path and the line of an error.
macro_rules! red_family {
    (
        $(#[$meta:meta])*
        pub struct $name:ident
        min_th { $(#[$min_th:meta])* }
        max_th { $(#[$max_th:meta])* }
        max_p { $(#[$max_p:meta])* }
        $(after_max_p { $($(#[$after_max_p_meta:meta])* $after_max_p:ident: $after_max_p_type:ty = $after_max_p_default:expr,)* })?
        gentle { $(#[$gentle:meta])* }
        ecn { $(#[$ecn:meta])* }
        $(last { $($(#[$last_meta:meta])* $last:ident: $last_type:ty = $last_default:expr,)* })?
        $(red { $($also:ident),* })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $(#[$min_th])*
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-default" = $crate::aqm::thresholds::MIN_TH))]
            #[schemars(extend("x-role" = "first"))]
            pub min_th: Option<Level>,
            $(#[$max_th])*
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-default" = $crate::aqm::thresholds::MAX_TH))]
            #[schemars(extend("x-tunable" = { "from": "6 packets", "to": "buffer", "source": "Floyd, 1997: from 5 packets on" }))]
            #[schemars(extend("x-role" = "last"))]
            pub max_th: Option<Level>,
            $(#[$max_p])*
            pub max_p: Probability,
            $($($(#[$after_max_p_meta])* pub $after_max_p: $after_max_p_type,)*)?
            /// Weight of a new sample in the average.
            #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993"))]
            pub w_q: Probability,
            $(#[$gentle])*
            pub gentle: bool,
            /// How signals are spaced.
            #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993, method 2"))]
            pub spacing: Spacing,
            $(#[$ecn])*
            pub ecn: bool,
            /// Drop packets above the highest threshold even if `ecn` is on, as Linux can.
            #[schemars(extend("x-default-source" = "RFC 3168, section 7; RFC 7567"))]
            pub harddrop: bool,
            $($($(#[$last_meta])* pub $last: $last_type,)*)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    min_th: None,
                    max_th: None,
                    max_p: Probability::constant(0.1),
                    $($($after_max_p: $after_max_p_default,)*)?
                    w_q: Probability::constant(0.002),
                    gentle: false,
                    spacing: Spacing::default(),
                    ecn: false,
                    harddrop: true,
                    $($($last: $last_default,)*)?
                }
            }
        }

        $(impl $name {
            /// The parameters of the RED within.
            fn red(&self) -> RedParameters {
                RedParameters {
                    min_th: self.min_th,
                    max_th: self.max_th,
                    max_p: self.max_p,
                    w_q: self.w_q,
                    gentle: self.gentle,
                    spacing: self.spacing,
                    ecn: self.ecn,
                    harddrop: self.harddrop,
                    $($also: self.$also,)*
                    ..RedParameters::default()
                }
            }
        })?
    };
}

pub(crate) use red_family;
