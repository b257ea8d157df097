# frozen_string_literal: true

require_relative 'server'
require_relative 'context'
require_relative 'catalog'
require_relative 'failure'

module Kukla
  # Where rspec-puppet asks for a catalog. What it does before and after stays its own.
  module Adapter
    def catalog(node, exported)
      node.environment = current_environment
      answer = Server.ask('compile', Context.of(node).merge('code' => Puppet[:code], 'keep_virtual' => exported))
      raise Failure.of(answer['error'], node.name) if answer.key?('error')

      catalog = Catalog.from(answer['result']['catalog'], current_environment)
      catalog = catalog.filter { |resource| !resource.exported? } if exported
      Puppet::Pops::Evaluator::DeferredResolver.resolve_and_replace(node.facts, catalog)
      catalog
    end
  end
end
